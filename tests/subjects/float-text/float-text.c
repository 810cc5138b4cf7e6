#include <stdio.h>

int main(void)
{
	double limit, score;
	float weight;

	if (scanf("%lf %f", &limit, &weight) != 2 || scanf("%lf", &score) != 1)
		return 1;
	if (limit < 0 || limit > 100 || score < 0 || score > 100)
		return 2;
	printf("%.1f\n", score);
	if (score >= limit)
		printf("passed, %g\n", weight);
	else
		printf("failed\n");
	return 0;
}
