static int calls = 1;
static int table[4] = {3, 1, 4, 1};

static int next(void)
{
	static int at;
	calls *= 2;
	return table[at++ % 4];
}

int entry(unsigned char n)
{
	int sum = 0;
	n %= 4;
	while (n--)
		sum += next();
	return sum * 100 + calls;
}
