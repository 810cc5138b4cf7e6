int entry(unsigned short n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i;
	return sum == 12345;
}
