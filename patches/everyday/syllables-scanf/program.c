#include <stdio.h>
#include <string.h>

int main(void)
{
	char word[20];
	int i, count = 0;

	printf("A word: ");
	scanf("%19s", word);
	for (i = 0; i <= strlen(word) - 1; i++) {
		if (word[i] == 'a' || word[i] == 'e' || word[i] == 'i' ||
		    word[i] == 'o' || word[i] == 'u')
			count++;
	}
	printf("%d syllables\n", count);
	return 0;
}
