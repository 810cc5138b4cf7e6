#include <stdio.h>
#include <stdlib.h>

static int by_hand(const char *text)
{
	int value = 0, sign = 1;
	while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
		text++;
	if (*text == '-' || *text == '+')
		sign = *text++ == '-' ? -1 : 1;
	while (*text >= '0' && *text <= '9')
		value = value * 10 + (*text++ - '0');
	return sign * value;
}

int main(int argc, char **argv)
{
	int a, b;
	if (argc != 3)
		return 1;
	a = atoi(argv[1]);
	b = strtol(argv[2], NULL, 10);
	puts(a > b ? "more" : a == b ? "equal" : "less");
	return by_hand("") != 0;
}
