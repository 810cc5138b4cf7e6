int f(double score)
{
	if (score >= 90)
		return 1;
	if (score >= 75)
		return 2;
	if (score >= 60)
		return 3;
	return 4;
}

/* equal */
int f(double score)
{
	int grade = 4;

	if (score >= 60)
		grade--;
	if (score >= 75)
		grade--;
	if (score >= 90)
		grade--;
	return grade;
}

/* unequal */
int f(double score)
{
	return 4 - (score > 60) - (score >= 75) - (score >= 90);
}
