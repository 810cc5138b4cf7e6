/* A function may promise not to write where a parameter points to, or break such a promise of the original. */
int sum(const int *values, int *last)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += values[i];
	*last = values[2];
	return sum;
}
