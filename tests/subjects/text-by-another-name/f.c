#include <stdint.h>

static const uint8_t few[] = "few", fewer[] = "fewer";

const uint8_t *f(int x)
{
	return x > 3 ? few : fewer;
}
