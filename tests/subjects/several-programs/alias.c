/* The original has an alias, and so is a program of its own; most patches can be in one program. */
#include <stdio.h>
#include <stdlib.h>

int next(int x) { return x + 1; }
int other(int) __attribute__((alias("next")));

int main(void)
{
	srand(1);
	printf("%d\n", next(rand() < 0));
	return 0;
}
