char arr[3];

int foo(int x)
{
	int y = x - 1;

	if (y > 0) {
		int z = x - 1;

		if (z < 3) {
			arr[z] = 'a';
			return 1;
		}
	} else {
		return 2;
	}
	return 3;
}
