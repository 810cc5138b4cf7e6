/* Numbers of 128 bits take the code generator's long way, on which it may make anything of a shift
   by the width or more. */
int f(int x) {
	long y = x * 1000L;
	unsigned __int128 r = (unsigned __int128)(y >> 70) + (y << 65) + (unsigned)(x << 33);
	here;
	return (int)(r >> 3);
}
