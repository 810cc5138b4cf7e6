#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];
static int values[1230];

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
}

static uint32_t crc(const unsigned char *p, int n)
{
	uint32_t c = 0xffffffffu;
	for (int i = 0; i < n; i++)
		c = table[(c ^ p[i]) & 0xff] ^ (c >> 8);
	return c ^ 0xffffffffu;
}

static void bubble_sort(int *a, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j + 1 < n - i; j++)
			if (a[j] > a[j + 1]) {
				int t = a[j];
				a[j] = a[j + 1];
				a[j + 1] = t;
			}
}

int main(void)
{
	uint32_t seed = 12345;
	unsigned char data[4096];
	make_table();
	for (int i = 0; i < 4096; i++) {
		seed = seed * 1103515245u + 12345u;
		data[i] = seed >> 16;
	}
	uint32_t sum = 0;
	for (int round = 0; round < 50; round++)
		sum += crc(data, 4096);
	for (int i = 0; i < 1230; i++) {
		seed = seed * 1103515245u + 12345u;
		values[i] = seed >> 8;
	}
	bubble_sort(values, 1230);
	printf("%u %d %d\n", sum, values[0], values[1229]);
	return 0;
}
