int f(int x) {
	int y = x;
	here;
	return y;
}
