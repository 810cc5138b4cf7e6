//@ levels: O0
/* What is decided here depends on where objects are. */
#include <klee/klee.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int one, two;

struct __attribute__((packed)) odd {
	char c;
	char *p;
};
static struct odd initialised = {0, (char *)&one};
static char far[70000];

static void into(char *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsprintf(text, format, arguments); //~ address
	va_end(arguments);
}

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
	struct odd packed;
	char *moved = buffer;
	union {
		char *p;
		double d;
		int i[2];
	} both = {buffer}, several[4] = {{buffer}, {buffer}, {buffer}, {buffer}};
	unsigned char copy[64] = {0};
	char *places[64] = {0};
	unsigned char bytes[8] = {0};
	switch (in / 2) {
	case 1:
		if (&one < &two) //~ address
			return 1;
		return 2;
	case 2:
		if (address / 16 % 17 == 3) //~ address
			return 1;
		return 2;
	case 3:
		buffer += 4096 - address % 4096;
		*buffer = 1; //~ address
		return *buffer;
	case 4:
		if (either < buffer + 1) //~ address
			return 1;
		return 2;
	case 5:
		if ((address ^ address >> 12) & 64) //~ address
			return 1;
		return 2;
	case 6:
		if (address < 1ul << 40) //~ address
			return 1;
		return 2;
	case 7:
		if ((int)(uintptr_t)&one & 0x70) //~ address
			return 1;
		return 2;
	case 8:
		memcpy(&low, pair, sizeof low);
		if (low & 0x70) //~ address
			return 1;
		return 2;
	case 9:
		memcpy(&across, (char *)pair + 4, sizeof across);
		if (across & 0x70) //~ address
			return 1;
		return 2;
	case 10:
		if (*(unsigned *)((char *)pair + 6) & 0x70) //~ address
			return 1;
		return 2;
	case 11:
		if (*(unsigned long *)((char *)pair + 3) & 0x70) //~ address
			return 1;
		return 2;
	case 12:
		memcpy(&low, &either, sizeof low);
		if (low & 0x70) //~ address
			return 1;
		return 2;
	case 13:
		either = buffer + (in & 1);
		if (*((unsigned char *)&either + 1) & 0x70) //~ address
			return 1;
		return 2;
	case 14:
		packed.p = buffer;
		if (*((unsigned char *)&packed + 2) & 0x70) //~ address
			return 1;
		return 2;
	case 15:
		memcpy(&packed.p, &either, sizeof either);
		low = *(unsigned *)((char *)&packed + 1);
		if (low & 0x70) //~ address
			return 1;
		return 2;
	case 16:
		places[in * 7 % 64] = buffer;
		low = *(unsigned *)&places[in * 7 % 64];
		if (low & 0x70) //~ address
			return 1;
		return 2;
	case 17:
		if (memcmp(&buffer, bytes, 4)) //~ address
			return 1;
		return 2;
	case 18:
		if ((unsigned)(*(unsigned __int128 *)pair >> 64) & 0x70) //~ address
			return 1;
		return 2;
	case 19:
		memcpy(bytes, pair, 3 + (in & 1));
		if (bytes[1] & 0x70) //~ address
			return 1;
		return 2;
	case 20:
		if (((uintptr_t)buffer + 0x9e3779b97f4a7c15) >> 32 & 0x70) //~ address
			return 1;
		return 2;
	case 21:
		if ((uintptr_t)(buffer + 200000) & 0x70000) //~ address
			return 1;
		return 2;
	case 22:
		*(char *)&moved = 0;
		if ((uintptr_t)moved & 0x7000) //~ address
			return 1;
		return 2;
	case 23:
		*((unsigned *)&moved + 1) = in & 1;
		if ((uintptr_t)moved & 0x7000) //~ address
			return 1;
		return 2;
	case 24:
		if (both.d < 1e-310) //~ address
			return 1;
		return 2;
	case 25:
		if ((unsigned __int128)(uintptr_t)buffer << 7 & 0x3800) //~ address
			return 1;
		return 2;
	case 26:
		if ((unsigned _BitInt(72))(uintptr_t)buffer << 7 & 0x3800) //~ address
			return 1;
		return 2;
	case 27:
		memcpy(&low, (char *)&initialised + 2, sizeof low);
		if (low & 0x70) //~ address
			return 1;
		return 2;
	case 28:
		packed.c = 0;
		packed.p = buffer;
		memcpy(&across, &packed, sizeof across);
		if (across & 0x7000) //~ address
			return 1;
		return 2;
	case 29:
		memcpy(copy + 9, &buffer, sizeof buffer);
		copy[in % 64] = 1;
		if (copy[10] & 0x70) //~ address
			return 1;
		return 2;
	case 30:
		several[in % 4].i[0] = 1;
		if ((uintptr_t)several[1].p & 0x7000) //~ address
			return 1;
		return 2;
	case 31:
		for (int i = 0; i < 100; i++)
			moved += in & i;
		if (far < moved) //~ address
			return 1;
		return 2;
	case 32:
		for (int i = 0; i < 100; i++)
			moved = (in & i) == 7 ? moved + 1 : moved;
		if ((uintptr_t)moved >> 4 & 0x70) //~ address
			return 1;
		return 2;
	case 33:
		snprintf((char *)copy, sizeof copy, "%hhx", buffer + 0x70); //~ address
		if (copy[0] == '7')
			return 1;
		return 2;
	case 34:
		into((char *)copy, "%d", buffer);
		if (copy[0] == '-')
			return 1;
		return 2;
	}
	return 0;
}
