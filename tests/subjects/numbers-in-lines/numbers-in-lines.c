#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char line[8];
	int c, first = 0, count = 0;
	double weight;

	c = getchar();
	if (isdigit(c)) {
		ungetc(c, stdin);
		scanf("%1d", &first);
	}
	if (!fgets(line, sizeof line, stdin))
		return 1;
	weight = atof(line);
	if (sscanf(line, "%1d%n", &count, &c) != 1)
		count = -1;
	if (weight > 2.5)
		printf("heavy %d %d\n", first, count);
	else
		printf("light %d %d\n", first, count);
	return 0;
}
