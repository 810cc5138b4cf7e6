int f(int x) {
	int y = x, z = 0, *p = &y;
	here;
	return z;
}
