#include <stdint.h>
#include <stdio.h>

static int variable;

int main(void)
{
	puts((uintptr_t)&variable < 0x400000 ? "low" : "not low");
	return 0;
}
