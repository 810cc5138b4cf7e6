#include "limits_of.h"

int above(int x)
{
	return x > LIMIT;
}
