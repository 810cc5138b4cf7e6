double f(double x)
{
	double term = 1, sum = 1;

	for (int i = 1; i <= 4; i++) {
		term = term * x / i;
		sum += term;
	}
	return sum;
}

/* equal */
double f(double x)
{
	double sum = 1, term = x;

	sum = sum + term;
	for (int i = 2; i < 5; i++) {
		term = x * term / i;
		sum = term + sum;
	}
	return sum;
}

/* unequal */
double f(double x)
{
	double term = 1, sum = 1;

	for (int i = 1; i <= 4; i++) {
		term = term * (x / i);
		sum += term;
	}
	return sum;
}
