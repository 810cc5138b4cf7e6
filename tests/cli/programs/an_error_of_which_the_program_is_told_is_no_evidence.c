#include <signal.h>
#include <unistd.h>
static void caught(int number)
{
	_exit(number);
}
int main(int argc, char **argv)
{
	int *volatile p = 0;
	signal(SIGSEGV, caught);
	if (argv[1][0] == 'a')
		return 1;
	return 0;
}
