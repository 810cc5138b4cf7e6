#include <stdio.h>

int main(void)
{
	float limit[4], score;
	char letter = 'A';
	int i;

	for (i = 0; i < 4; i++)
		scanf("%f", &limit[i]);
	scanf("%f", &score);
	for (i = 0; i < 4; i++) {
		if (score >= limit[i])
			break;
		letter++;
	}
	if (i > 4)
		printf("Failed\n");
	else
		printf("Grade %c\n", letter);
	return 0;
}
