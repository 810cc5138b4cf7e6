void entry(int x, int *out)
{
	int junk[2];
	junk[0] = x;
	*out = junk[0];
}
