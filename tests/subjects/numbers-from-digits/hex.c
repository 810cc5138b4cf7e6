#include <stdio.h>
#include <string.h>

int main(void)
{
	static const char digits[] = "0123456789abcdef";
	char word[9];
	int i, n = 0;

	if (scanf("%8s", word) != 1)
		return 1;
	for (i = 0; word[i]; i++) {
		const char *digit = strchr(digits, word[i]);
		if (digit == NULL)
			return 2;
		n = n * 16 + (digit - digits);
	}
	printf("%d\n", n);
	return 0;
}
