#include <stdint.h>
#include <stdlib.h>
int say(const char *, const char *);

int main(int argc, char **argv)
{
	char bytes[3];
	uintptr_t page = (uintptr_t)malloc(5000);
	return say((uintptr_t)(bytes + argc) % 16 == 1 ? "16" : "1", page % 4096 ? "16" : "4096");
}
