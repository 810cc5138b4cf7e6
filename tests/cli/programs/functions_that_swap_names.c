#include <stdint.h>

int say(const char *, const char *);
typedef int operation(int);

int up(int x)
{
	return x + 3;
}

int down(int x)
{
	return x - 1;
}

static operation *table[] = { up, down };

int main(int argc, char **argv)
{
	int rises = (uintptr_t)table[0] < (uintptr_t)table[1];
	int value = table[0](argc) + 2 * table[1](argc);
	return say(rises ? "up" : "down", value == 3 * argc + 1 ? argv[1] : "");
}
