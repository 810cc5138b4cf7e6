#include <stdio.h>
int half(int);

int main(int argc, char **argv)
{
	printf("%d\n", half(argc > 1 ? argv[1][0] : 'a'));
	return 0;
}
