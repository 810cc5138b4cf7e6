int f(int x) {
	unsigned long i = 0;
	here;
	return x + (int)i * 0;
}
