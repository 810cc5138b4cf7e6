#include <stdio.h>

/* `unset` is never written, and read behind more rounds than are explored. */
int main(void)
{
	int x, sevens = 0, nines = 0, sum = 0, shown = 0, unset;

	while (scanf("%d", &x) == 1) {
		if (x == 7)
			sevens++;
		if (x == 9)
			nines++;
		if (sevens == 22 && nines == 22 && x == 77)
			sum += unset;
	}
	printf("a\n");
	if (sum > 3)
		shown = 5;
	printf("%d\n", shown);
	return 0;
}
