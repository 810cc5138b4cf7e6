#include <math.h>

/* Without musl's care for the exception flags, which are not modelled. */
long lrintl(long double x)
{
	return rintl(x);
}
