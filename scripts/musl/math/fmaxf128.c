__float128 fmaxf128(__float128 x, __float128 y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	/* Of zeros the positive one. */
	if (x == y)
		return __builtin_signbit(x) ? y : x;
	return x < y ? y : x;
}
