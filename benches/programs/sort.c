#include <klee/klee.h>

int main(void)
{
	int a[6];
	klee_make_symbolic(a, sizeof a, "a");
	for (int i = 1; i < 6; i++) {
		int x = a[i], j = i;
		while (j > 0 && a[j - 1] > x) {
			a[j] = a[j - 1];
			j--;
		}
		a[j] = x;
	}
	return 0;
}
