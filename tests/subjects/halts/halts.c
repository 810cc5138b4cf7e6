#include <stdlib.h>
#include <assert.h>

static int globals[4] = {1, 2, 3, 4};

int entry(int n)
{
	int local[4] = {1, 2, 3, 4};
	int *heap = malloc(sizeof local);
	int result = 0;
	if (!heap)
		return -1;
	heap[0] = 5;
	if (n == 4)
		result = heap[0] + local[1] + globals[2];
	free(heap);
	return result;
}
