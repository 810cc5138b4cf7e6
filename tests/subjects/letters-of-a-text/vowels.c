#include <stdio.h>
#include <string.h>

int main(void)
{
	char word[8];
	const char *digits = "0123456789abcdef";
	int i, vowels = 0, sum = 0;
	if (scanf("%7s", word) != 1)
		return 1;
	for (i = 0; word[i]; i++) {
		const char *digit = strchr(digits, word[i]);
		if (strchr("aeiou", word[i]))
			vowels++;
		if (digit != NULL)
			sum += digit - digits;
	}
	printf("%d %d\n", vowels, sum);
	return 0;
}
