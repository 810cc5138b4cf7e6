static int parity(unsigned x)
{
	int odd = 0;
	while (x) {
		odd ^= x & 1;
		x >>= 1;
	}
	return odd;
}

int entry(unsigned char x)
{
	return parity(x);
}
