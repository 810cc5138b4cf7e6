/* Callers know the parameters of a function by their places. */
int apart(int a, int b) { return a - b; }

int sum(int *values, int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += values[i];
	return sum;
}
