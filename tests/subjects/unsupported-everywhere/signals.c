#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t hits;

static void count(int number)
{
	hits += number == SIGUSR1 ? 1 : 10;
}

/* Every path calls `signal`, so only inputs that are tried tell anything. */
int main(void)
{
	int level;

	if (scanf("%d", &level) != 1)
		return 1;
	signal(SIGUSR1, count);
	signal(SIGUSR2, count);
	if (level > 0)
		raise(SIGUSR1);
	if (level > 77)
		raise(SIGUSR2);
	printf("%d\n", (int)hits);
	return 0;
}
