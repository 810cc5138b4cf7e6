int clamp(int value, int low, int high)
{
	int result = value;

	if (value < low) {
		result = low;
	}
	if (value > high) {
		result = high;
	}
	return result;
}
