#include <stdio.h>
#include <stdlib.h>

static int order(int a, int b)
{
	return a - b;
}

struct item {
	struct item *next;
	const char *name;
	int rank;
};

struct queue {
	struct item *first, *last;
	int length;
};

static struct item items[3] = {{0, "one", 0}, {0, "two", 0}, {0, "three", 0}};
static struct queue queues[3];

static void append(struct queue *queue, struct item *item)
{
	item->next = NULL;
	if (queue->last)
		queue->last->next = item;
	else
		queue->first = item;
	queue->last = item;
	queue->length++;
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return order(x->rank, y->rank);
}

int main(void)
{
	int i, n, which;
	for (i = 0; i < 3; i++)
		if (scanf("%d", &items[i].rank) != 1 || items[i].rank < 0 || items[i].rank > 9)
			return 1;
	qsort(items, 3, sizeof items[0], compare);
	for (i = 0; i < 3; i++) {
		if (scanf("%d", &n) != 1 || n < 0 || n > 2)
			return 1;
		append(&queues[n], &items[i]);
	}
	if (scanf("%d", &which) != 1 || which < 0 || which > 2 || !queues[which].length)
		return 1;
	puts(queues[which].first->name);
	if (queues[which].first->next)
		puts(queues[which].first->next->name);
	return 0;
}
