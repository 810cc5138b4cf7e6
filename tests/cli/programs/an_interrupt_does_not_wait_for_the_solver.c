int entry(unsigned long x, unsigned long y)
{
	int n = 0;
	unsigned __int128 all = (unsigned __int128)0xcfa92a1c6559dd55 << 64;
	all |= 0xbb75027437309ad3;
	if (x > 1 && y > 1 && (unsigned __int128)x * y == all)
		n = 1;
	return n;
}
