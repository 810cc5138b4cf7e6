/* One path cannot be followed, so other inputs are tried for the pairs that it leaves open. */
int main(void) {
	char word[20];
	unsigned number;
	int length = 0, most = 3;
	here;
	if (scanf("%19s %u", word, &number) != 2)
		return 3;
	while (word[length])
		length++;
	if (length > most)
		puts("long");
	if (number == 77)
		return sleep(0) & 1;
	return number < 10;
}
