#include <klee/klee.h>
#include <stdio.h>
int main(void)
{
	int a;
	scanf("%d", &a);
	int meta = __klee_meta(1);
	if (meta == 1)
		a = 1 + a;
	else if (meta == 2)
		a += 1 + (a == 12345);
	else
		a++;
	printf("%d\n", a);
	return 0;
}
