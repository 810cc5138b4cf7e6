/* Products and quotients of complex numbers (C11 G.5.1, with its examples). Natively they are part
   of the compiler's own library. */
#define INFINITE __builtin_isinf
#define SIGNED(T, magnitude, x) (__builtin_signbit(x) ? -(T)(magnitude) : (T)(magnitude))
/* 1 for an infinite operand and 0 for any other, with the operand's sign. */
#define BOX(T, x) SIGNED(T, INFINITE(x) ? 1 : 0, x)
#define NO_NAN(T, x) if (x != x) x = SIGNED(T, 0, x)
#define INFINITY_OF(T) ((T)__builtin_inf())

/* The exponent of a finite number, found by a loop; 0 for 0. */
#define EXPONENT(T, name) \
static int name(T x) \
{ \
	int e = 0; \
	if (x == 0 || x != x || INFINITE(x)) \
		return 0; \
	x = x < 0 ? -x : x; \
	for (; x >= 0x1p64f; e += 64) \
		x *= 0x1p-64f; \
	for (; x < 0x1p-64f; e -= 64) \
		x *= 0x1p64f; \
	for (; x >= 2; e++) \
		x *= 0.5f; \
	for (; x < 1; e--) \
		x *= 2; \
	return e; \
}

/* Exact unless the result is subnormal. */
#define SCALE(T, name) \
static T name(T x, int n) \
{ \
	for (; n >= 64; n -= 64) \
		x *= 0x1p64f; \
	for (; n <= -64; n += 64) \
		x *= 0x1p-64f; \
	for (; n > 0; n--) \
		x *= 2; \
	for (; n < 0; n++) \
		x *= 0.5f; \
	return x; \
}

#define ARITHMETIC(T, suffix) \
EXPONENT(T, exponent_##suffix) \
SCALE(T, scale_##suffix) \
_Complex T __mul##suffix##c3(T a, T b, T c, T d) \
{ \
	T ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
	T x = ac - bd, y = ad + bc; \
	if (x != x && y != y) { \
		int again = 0; \
		if (INFINITE(a) || INFINITE(b)) { \
			a = BOX(T, a); \
			b = BOX(T, b); \
			NO_NAN(T, c); \
			NO_NAN(T, d); \
			again = 1; \
		} \
		if (INFINITE(c) || INFINITE(d)) { \
			c = BOX(T, c); \
			d = BOX(T, d); \
			NO_NAN(T, a); \
			NO_NAN(T, b); \
			again = 1; \
		} \
		if (!again && (INFINITE(ac) || INFINITE(bd) || INFINITE(ad) || INFINITE(bc))) { \
			NO_NAN(T, a); \
			NO_NAN(T, b); \
			NO_NAN(T, c); \
			NO_NAN(T, d); \
			again = 1; \
		} \
		if (again) { \
			x = INFINITY_OF(T) * (a * c - b * d); \
			y = INFINITY_OF(T) * (a * d + b * c); \
		} \
	} \
	return __builtin_complex(x, y); \
} \
_Complex T __div##suffix##c3(T a, T b, T c, T d) \
{ \
	T wide = (c < 0 ? -c : c) < (d < 0 ? -d : d) ? d : c; \
	int e = exponent_##suffix(wide); \
	c = scale_##suffix(c, -e); \
	d = scale_##suffix(d, -e); \
	T divisor = c * c + d * d; \
	T x = scale_##suffix((a * c + b * d) / divisor, -e); \
	T y = scale_##suffix((b * c - a * d) / divisor, -e); \
	if (x != x && y != y) { \
		int any_infinite = INFINITE(c) || INFINITE(d); \
		if (divisor == 0 && (a == a || b == b)) { \
			T infinity = SIGNED(T, INFINITY_OF(T), c); \
			x = infinity * a; \
			y = infinity * b; \
		} else if ((INFINITE(a) || INFINITE(b)) && !any_infinite && c == c && d == d) { \
			a = BOX(T, a); \
			b = BOX(T, b); \
			x = INFINITY_OF(T) * (a * c + b * d); \
			y = INFINITY_OF(T) * (b * c - a * d); \
		} else if (any_infinite && !INFINITE(a) && !INFINITE(b) && a == a && b == b) { \
			c = BOX(T, c); \
			d = BOX(T, d); \
			x = 0 * (a * c + b * d); \
			y = 0 * (b * c - a * d); \
		} \
	} \
	return __builtin_complex(x, y); \
}

ARITHMETIC(float, s)
ARITHMETIC(double, d)
ARITHMETIC(long double, x)
ARITHMETIC(__float128, t)
