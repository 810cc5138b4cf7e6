/* What is decided here depends on where objects are. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int one, two;

int main(void)
{
	unsigned char in;
	klee_make_symbolic(&in, sizeof in, "in");
	char *buffer = malloc(10000);
	char *either = in & 1 ? (char *)&one : buffer;
	uintptr_t address = (uintptr_t)buffer;
	char *pair[2] = {buffer, buffer};
	unsigned low;
	unsigned long across;
	switch (in / 2) {
	case 1:
		if (&one < &two) /* here */
			return 1;
		return 2;
	case 2:
		if (address / 16 % 17 == 3) /* here */
			return 1;
		return 2;
	case 3:
		buffer += 4096 - address % 4096;
		*buffer = 1; /* here */
		return *buffer;
	case 4:
		if (either < buffer + 1) /* here */
			return 1;
		return 2;
	case 5:
		if ((address ^ address >> 12) & 64) /* here */
			return 1;
		return 2;
	case 6:
		if (address < 1ul << 40) /* here */
			return 1;
		return 2;
	case 7:
		if ((int)(uintptr_t)&one & 0x70) /* here */
			return 1;
		return 2;
	case 8:
		memcpy(&low, pair, sizeof low);
		if (low & 0x70) /* here */
			return 1;
		return 2;
	case 9:
		memcpy(&across, (char *)pair + 4, sizeof across);
		if (across & 0x70) /* here */
			return 1;
		return 2;
	case 10:
		if (*(unsigned *)((char *)pair + 6) & 0x70) /* here */
			return 1;
		return 2;
	case 11:
		if (*(unsigned long *)((char *)pair + 3) & 0x70) /* here */
			return 1;
		return 2;
	}
	return 0;
}
