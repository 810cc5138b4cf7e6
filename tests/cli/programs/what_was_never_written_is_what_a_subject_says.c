int entry(int x)
{
	int y; if (y) return 1;
	return 2;
}
