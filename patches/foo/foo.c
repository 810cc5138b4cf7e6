#include <assert.h>

int foo(int x)
{
	int y;

	if (x < 0) {
		y = -x;
	} else {
		y = 2 * x;
	}
	if (y > 1) {
		return 0;
	} else {
		if (y == 1 || y <= -2) {
			assert(0);
		}
	}
	return 1;
}
