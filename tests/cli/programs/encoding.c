/* größer als */
#include <stdio.h>
#define LIMIT 3 /* für alle */

int main(void)
{
	int x;
	if (scanf("%d", &x) != 1)
		return 1;
	puts(x > LIMIT ? "größer" : "kleiner"); /* wörtlich */
	x = -x;
	puts(x > LIMIT ? "größer" : "kleiner");

	return 0; /* gut */
}
