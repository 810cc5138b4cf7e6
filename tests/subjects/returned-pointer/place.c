static const int seven = 7, eight = 8;

const int *greatest(const int *v, int n)
{
	const int *best = v;
	if (n == 0)
		return &seven;
	for (int i = 1; i < n; i++)
		if (v[i] > *best)
			best = v + i;
	return best;
}
