#include <stdio.h>

int main(void)
{
	double a, b, c, d, score;

	printf("Lowest percentages for A, B, C and D: ");
	scanf("%lf %lf %lf %lf", &a, &b, &c, &d);
	printf("The score: ");
	scanf("%lf", &score);
	if (score > a)
		printf("An A\n");
	else if (score >= b)
		printf("A B\n");
	else if (score >= c)
		printf("A C\n");
	else if (score >= d)
		printf("A D\n");
	else
		printf("Failed\n");
	return 0;
}
