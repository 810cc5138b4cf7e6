#include <stdio.h>

static const char letters[] = "ab";

int main(void)
{
	const char *p;
	int c = getchar();
	for (p = letters; *p; p++)
		if (*p == c)
			return 1 + (int)(p - letters);
	return 0;
}
