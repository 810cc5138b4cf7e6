#include <stdlib.h>
#include <time.h>

int entry(int x)
{
	if (x == 3)
		return time(0) == 5;
	return 0;
}
