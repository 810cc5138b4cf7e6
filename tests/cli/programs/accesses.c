#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char names[4][4] = {"ab", "cd", "ef", "gh"};
static int table[5] = {1, 2, 3, 4, 5};
static jmp_buf jump;
__attribute__((noinline)) static int at(char *p, int n)
{
	return p[n];
}
__attribute__((noinline)) static char *local(int n)
{
	char text[16];
	memset(text, n, sizeof text);
	char *volatile p = text;
	return p;
}
__attribute__((noinline)) static void leave(void)
{
	char text[32] = "";
	at(text, 0);
	longjmp(jump, 1);
}
int main(int argc, char **argv)
{
	int n = argv[1][0] - '0', r = 3;
	if (n < 0 || n > 9)
		return 1;
	char s[8] = "", *p = malloc(8);
	strcpy(p, "abc");
	if (!setjmp(jump))
		leave();
	printf("%d\n", n);
	r = n;
	printf("%d\n", r);
	free(p);
	return 0;
}
