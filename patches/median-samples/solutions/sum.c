#include <stdio.h>

int main(void)
{
	int number, least = 0, most = 0;
	long long sum = 0;

	for (int i = 0; i < 3; i++) {
		if (scanf("%d", &number) != 1)
			return 1;
		if (i == 0 || number < least)
			least = number;
		if (i == 0 || number > most)
			most = number;
		sum += number;
	}
	printf("%lld\n", sum - least - most);
	return 0;
}
