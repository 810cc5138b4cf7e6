int entry(int i)
{
	int table[4] = { 1, 2, 3, 4 };
	int value = table[i];
	return value + 1;
}
