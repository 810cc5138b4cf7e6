#include <klee/klee.h>

static int matchhere(char *re, char *text);

static int matchstar(int c, char *re, char *text)
{
	do {
		if (matchhere(re, text))
			return 1;
	} while (*text != '\0' && (*text++ == c || c == '.'));
	return 0;
}

static int matchhere(char *re, char *text)
{
	if (re[0] == '\0')
		return 0;
	if (re[1] == '*')
		return matchstar(re[0], re + 2, text);
	if (re[0] == '$' && re[1] == '\0')
		return *text == '\0';
	if (*text != '\0' && (re[0] == '.' || re[0] == *text))
		return matchhere(re + 1, text + 1);
	return 0;
}

static int match(char *re, char *text)
{
	if (re[0] == '^')
		return matchhere(re + 1, text);
	do {
		if (matchhere(re, text))
			return 1;
	} while (*text++ != '\0');
	return 0;
}

int main(void)
{
	char re[8];
	klee_make_symbolic(re, 7, "re");
	re[7] = 0;
	match(re, "hello");
	return 0;
}
