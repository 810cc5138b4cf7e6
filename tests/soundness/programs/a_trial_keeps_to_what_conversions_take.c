/* One path cannot be followed, so other inputs are tried for the pairs that it leaves open. Between
 * the two ways to read, only text that the conversions do not take makes a difference. */
int main(void) {
	char word[20], letters[20];
	int digit = 0, number = 0;
	here;
	if (number == 77)
		return sleep(0) & 1;
	return digit * 2 + number;
}
