double f(int fahrenheit)
{
	return (fahrenheit - 32.0) * 5 / 9;
}

/* equal */
double f(int fahrenheit)
{
	double above = fahrenheit;

	above -= 32;
	return 5 * above / 9;
}

/* unequal */
double f(int fahrenheit)
{
	return (fahrenheit - 32) * (5 / 9.0);
}
