#include <stdio.h>
int vowel(int c)
{
	return c == 'i' || c == 'o';
}
int main(void)
{
	int c, before = 0;
	long n = 0;
	while ((c = getchar()) != EOF && c != '\n') {
		if (vowel(c) && !before)
			n++;
		before = vowel(c);
	}
	printf("%ld\n", n);
	return 0;
}
