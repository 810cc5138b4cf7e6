#include <stdio.h>
#include <wchar.h>

int main(void)
{
	int x;
	if (scanf("%d", &x) != 1)
		return 1;
	printf("%ls\n", x > 3 ? L"bc" : L"d");
	return 0;
}
