#include <stdio.h>

int main(void)
{
	double limit, average;
	int i, score, total;

	printf("Limit: ");
	scanf("%lf", &limit);
	for (i = 1; i <= 3; i++) {
		scanf("%d", &score);
		if (score < 0 || score > 100)
			return 1;
		total += score;
	}
	average = total / 3;
	printf("Average %.2f\n", average);
	if (average >= limit)
		printf("Passed\n");
	else
		printf("Failed\n");
	return 0;
}
