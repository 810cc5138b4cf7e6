#include <stdio.h>

int main(void)
{
	int v[3], t;

	scanf("%d", &v[0]);
	scanf("%d", &v[1]);
	scanf("%d", &v[2]);
	if (v[0] > v[1]) {
		t = v[0];
		v[0] = v[1];
		v[1] = t;
	}
	if (v[1] > v[2]) {
		t = v[1];
		v[1] = v[2];
		v[2] = t;
	}
	printf("%d is in the middle\n", v[1]);
	return 0;
}
