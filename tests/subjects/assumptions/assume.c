#include <klee/klee.h>
#include <stdio.h>

int main(void)
{
	int x, y = klee_range(0, 10, "y");
	klee_make_symbolic(&x, sizeof x, "x");
	klee_assume(x > 0 & x < 5);
	printf("%d %d\n", x < 6, y / 2);
	return 0;
}
