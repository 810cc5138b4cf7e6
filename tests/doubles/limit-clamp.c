double f(double x, double low, double high)
{
	if (x < low)
		return low;
	if (x > high)
		return high;
	return x;
}

/* equal */
double f(double x, double low, double high)
{
	return low > x ? low : high < x ? high : x;
}

/* unequal */
double f(double x, double low, double high)
{
	if (x > high)
		return high;
	if (x < low)
		return low;
	return x;
}
