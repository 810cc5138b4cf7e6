float scale(float a, float weight)
{
	if (weight > 0.5f)
		return a * 2;
	return a - 1;
}
