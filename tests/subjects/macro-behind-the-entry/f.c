int f(int x)
{
	return x > 3 ? 2 : 1;
}

#define f(x) 0
