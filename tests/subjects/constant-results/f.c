const unsigned f(const int x)
{
	return x > 3 ? 2 : 1;
}
