int f(int x) {
	int y = x + 1;
	here;
	return y;
}
