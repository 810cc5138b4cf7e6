__float128 fminf128(__float128 x, __float128 y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	/* Of zeros the negative one. */
	if (x == y)
		return __builtin_signbit(x) ? x : y;
	return x < y ? x : y;
}
