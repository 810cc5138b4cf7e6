#include <stdio.h>
#include <string.h>
int main(void)
{
	int n;
	char word[9];
	double r;
	if (scanf("%d %8s %lf", &n, word, &r) != 3)
		return 2;
	if (n < 100 || strcmp(word, "set") != 0)
		return 1;
	if (r > 1.5)
		puts("more");
	return 0;
}
