#include <stdio.h>
#include <string.h>

int main(void)
{
	char word[40];
	int i, vowels = 0;

	if (scanf("%39s", word) != 1)
		return 1;
	for (i = 0; word[i]; i++)
		if (strchr("aeiou", word[i]))
			vowels++;
	printf("%d\n", vowels);
	return 0;
}
