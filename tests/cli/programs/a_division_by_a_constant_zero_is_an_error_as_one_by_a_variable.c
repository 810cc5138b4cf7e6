int entry(int x)
{
	return x > 3 ? x / 2 : 1;
}
