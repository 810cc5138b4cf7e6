/* What clang calls for __builtin_powi; part of the compiler's own library natively. */
#define POWER(T, name) \
T name(T x, int n) \
{ \
	unsigned rest = n < 0 ? -(unsigned)n : n; \
	T y = rest & 1 ? x : 1; \
	while (rest >>= 1) { \
		x *= x; \
		if (rest & 1) \
			y *= x; \
	} \
	return n < 0 ? 1 / y : y; \
}

POWER(float, __powisf2)
POWER(double, __powidf2)
POWER(long double, __powixf2)
POWER(__float128, __powitf2)
