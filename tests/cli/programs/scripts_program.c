#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void show(const char *text) {
	for (; *text; text++) printf("%02x", (unsigned char)*text);
	putchar(' ');
}
int main(int argc, char **argv, char **variables) {
	const char *value = getenv("MODE") ? getenv("MODE") : "unset";
	char line[3] = "";
	size_t count = fread(line, 1, 2, stdin);
	int number = 0;
	while (variables[number]) number++;
	printf("%s %d %d %zu ", argv[0], argc, number, count);
	show(argv[1]), show(argv[2]), show(value), show(line);
	return 0;
}
