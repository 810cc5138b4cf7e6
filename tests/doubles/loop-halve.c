int f(double x)
{
	int n = 0;

	while (x >= 1 && n < 5) {
		x = x / 2;
		n++;
	}
	return n;
}

/* equal */
int f(double x)
{
	int n;

	for (n = 0; n < 5; n++, x *= 0.5)
		if (!(x >= 1))
			break;
	return n;
}

/* unequal */
int f(double x)
{
	int n = 0;

	while (x > 1 && n < 5) {
		x = x / 2;
		n++;
	}
	return n;
}
