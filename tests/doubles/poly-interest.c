double f(double capital, double rate)
{
	for (int year = 0; year < 3; year++)
		capital += capital * rate;
	return capital;
}

/* equal */
double f(double capital, double rate)
{
	int left = 3;

	while (left-- > 0)
		capital = rate * capital + capital;
	return capital;
}

/* unequal */
double f(double capital, double rate)
{
	for (int year = 0; year < 3; year++)
		capital *= 1 + rate;
	return capital;
}
