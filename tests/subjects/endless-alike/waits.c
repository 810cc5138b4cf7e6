int entry(int i)
{
	if (i == 3)
		for (;;)
			;
	return i + 1;
}
