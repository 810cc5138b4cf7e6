static const unsigned char table[8] = {0, 1, 1, 2, 1, 2, 2, 3};

int entry(unsigned char x)
{
	int counts[4] = {0};
	counts[table[x & 7]]++;
	counts[table[x >> 5]] += 2;
	return counts[0] + 10 * counts[1] + 100 * counts[2] + 1000 * counts[3];
}
