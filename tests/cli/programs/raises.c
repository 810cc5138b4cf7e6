#include <fenv.h>
#include <stdio.h>
#pragma STDC FENV_ACCESS ON

static volatile float one = 1, three = 3, tiny = 0x1p-149f;

int main(int argc, char **argv)
{
	int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		union { float f; unsigned u; } third = { one / three };
		int raised = fetestexcept(FE_ALL_EXCEPT);
		third.f *= tiny;
		printf("%x %x %x\n", third.u, raised, fetestexcept(FE_ALL_EXCEPT));
		feclearexcept(FE_ALL_EXCEPT);
	}
	printf("%d\n", fesetround(1));
	return argv[1][0] / three > 30 && !fetestexcept(FE_INEXACT);
}
