#include <stdio.h>
int main(void)
{
	int a;
	const char *p = "";
	scanf("%d", &a);
	p = "yes";
	printf("%s %d\n", p, a > 3);
	return 0;
}
