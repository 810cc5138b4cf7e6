#include <stdio.h>
int main(int argc, char **argv)
{
	int c = getchar();
	printf("%s %d", argv[argc - 1], c);
}
