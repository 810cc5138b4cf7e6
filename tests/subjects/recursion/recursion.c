static int depth(unsigned n)
{
	if (n <= 1)
		return 0;
	return 1 + depth(n / 2);
}

int entry(unsigned char n)
{
	return depth(n);
}
