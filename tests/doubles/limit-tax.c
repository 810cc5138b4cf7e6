double f(double income)
{
	if (income <= 10000)
		return 0;
	if (income <= 40000)
		return (income - 10000) * 0.2;
	return 6000 + (income - 40000) * 0.4;
}

/* equal */
double f(double income)
{
	if (income <= 40000)
		return income <= 10000 ? 0 : 0.2 * (income - 10000);
	return 0.4 * (income - 40000) + 6000;
}

/* unequal */
double f(double income)
{
	if (income < 10000)
		return 0;
	if (income <= 40000)
		return (income - 10000) * 0.2;
	return 6000 + (income - 40000) * 0.3;
}
