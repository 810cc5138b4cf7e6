/* The original has an alias, and so is a program of its own; most patches can be in one program. */
#include <stdio.h>
#include <unistd.h>

int next(int x) { return x + 1; }
int other(int) __attribute__((alias("next")));

int main(void)
{
	sleep(0);
	printf("%d\n", next(sleep(0) > 0));
	return 0;
}
