#include <stdio.h>

int main(void)
{
	int c, first, a = 0, b = 0;

	if (scanf("%d ;", &first) != 1)
		return 0;
	while ((c = getchar()) != EOF) {
		if (c == 'a')
			a++;
		if (c == 'b')
			b++;
	}
	if (a == 21 && b == 22)
		puts("end");
	return 0;
}
