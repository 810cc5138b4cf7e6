void order(int *values, int *least)
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2 - i; j++)
			if (values[j] > values[j + 1]) {
				int t = values[j];
				values[j] = values[j + 1];
				values[j + 1] = t;
			}
	*least = values[0];
}
