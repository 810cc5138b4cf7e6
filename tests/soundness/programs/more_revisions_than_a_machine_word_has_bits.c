int f(int x) {
	int y = 0;
	here;
	return x + y;
}
