int f(int x, int y) {
	int r = x << y;
	here;
	return r;
}
