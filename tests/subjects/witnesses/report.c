#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	int p = *(const int *)a, q = *(const int *)b;
	return (p > q) - (p < q);
}

int main(void)
{
	char word[8], text[16];
	int numbers[4] = {3, 1, 4, 1}, n = 0;
	if (scanf("%7s", word) != 1 || scanf("%d", &n) != 1)
		return 1;
	qsort(numbers, 4, sizeof numbers[0], compare);
	memset(text, 0, sizeof text);
	strncpy(text, word, 3);
	printf("%s %d %d\n", text, numbers[0], isdigit(n & 127) != 0);
	return 0;
}
