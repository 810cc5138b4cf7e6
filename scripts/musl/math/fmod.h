/* fmod for a type T of FRACTION bits below the point with the exponent's bias BIAS; the bits of a
   number are in a B. U is unsigned and has a bit more than a significand. Where the integer bit is
   written out, FRACTION_FIELD is one more than FRACTION.

   As musl's, which subtracts and shifts, but without a branch on it: of symbolic operands only
   the difference of the exponents decides about the way. Sets errno as glibc. */
#include <errno.h>
#include <stdint.h>

static U significand_of(T x, int *exponent)
{
	union { T number; B bits; } u = { 0 };
	u.number = x;
	U field = u.bits & (((B)1 << FRACTION_FIELD) - 1);
	int biased = u.bits >> FRACTION_FIELD & (2 * BIAS + 1);
	*exponent = biased ? biased : 1;
	return biased ? field | (U)1 << FRACTION : field;
}

/* A power of 2 that the type can represent, possibly as a subnormal number. */
static T power(int n)
{
	union { T number; B bits; } u = { 0 };
	int biased = n + BIAS;
	B integer_bit = FRACTION_FIELD == FRACTION ? 0 : (B)1 << FRACTION;
	u.bits = biased > 0 ? (B)biased << FRACTION_FIELD | integer_bit : (B)1 << (biased - 1 + FRACTION);
	return u.number;
}

T FMOD(T x, T y)
{
	const int half = (FRACTION + 1) / 2;
	int ex, ey, invalid = y == 0 || __builtin_isinf(x);
	T magnitude;

	if (invalid || x != x || y != y) {
		if (invalid && x == x && y == y)
			errno = EDOM;
		return (x * y) / (x * y);
	}
	U r = significand_of(x, &ex), divisor = significand_of(y, &ey);
	if (ex < ey || __builtin_isinf(y))
		return x;
	/* Only a subnormal divisor is that small. */
	if (r >> 1 >= divisor)
		r %= divisor;
	r = r >= divisor ? r - divisor : r;
	for (; ex > ey; ex--) {
		r <<= 1;
		r = r >= divisor ? r - divisor : r;
	}
	if (r == 0)
		return 0 * x;
	/* Each step is exact. */
	magnitude = (T)(int64_t)(r >> half) * power(half) + (T)(int64_t)(r & (((U)1 << half) - 1));
	magnitude *= power(ey - BIAS - FRACTION);
	return __builtin_signbit(x) ? -magnitude : magnitude;
}
