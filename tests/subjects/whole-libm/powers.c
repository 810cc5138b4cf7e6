#include <math.h>
#include <stdio.h>

/* LLVM has intrinsics for both functions, and the linker has to find what they stand for. */
int main(int argc, char **argv)
{
	int flag = argc > 1 && argv[1][0] == 'x';
	double base = argc + 1;

	printf("%d\n", (int)fmod(pow(base, 3), 7) + flag);
	return 0;
}
