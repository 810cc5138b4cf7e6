#include <stdio.h>

int main(void)
{
	char word[21];
	int i, count = 0;

	fgets(word, 21, stdin);
	for (i = 0; word[i] != '\n'; i++) {
		switch (word[i]) {
		case 'a':
		case 'e':
		case 'i':
		case 'o':
		case 'u':
			count += 1;
			break;
		}
	}
	printf("%d syllables\n", count);
	return 0;
}
