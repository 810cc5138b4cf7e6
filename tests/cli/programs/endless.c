int entry(unsigned x)
{
	double n = 0;
	for (int i = 0; i < 32; i++)
		if (x & 1u << i)
			n += i;
	return n;
}
