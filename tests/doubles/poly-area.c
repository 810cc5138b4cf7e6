double f(double w, double h)
{
	if (w < 0 || h < 0)
		return 0;
	return 2 * (w + h);
}

/* equal */
double f(double w, double h)
{
	return !(w < 0) && !(h < 0) ? (w + h) + (w + h) : 0;
}

/* unequal */
double f(double w, double h)
{
	if (w <= 0 || h <= 0)
		return 0;
	return 2 * (w + h);
}
