#include <stdio.h>
#include <ctype.h>

int is_vowel(int c)
{
	c = tolower(c);
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

int main(void)
{
	int c, count = 0, before = 0;

	while ((c = getchar()) != EOF && c != '\n') {
		if (is_vowel(c) && !before)
			count++;
		before = is_vowel(c);
	}
	printf("%d syllables\n", count);
	return 0;
}
