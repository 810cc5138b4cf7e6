/* A queue whose tail, where paths were joined, is one of several elements: which one, the path says.
   Some of the others are freed by then. */
#include <stdio.h>
#include <stdlib.h>

struct item {
	struct item *next;
	int number;
};

struct queue {
	struct item *head, *tail;
};

static struct queue queues[2];
static int count;

static void put(struct queue *queue)
{
	struct item *item = calloc(1, sizeof *item);
	item->number = ++count;
	if (queue->tail)
		queue->tail->next = item;
	else
		queue->head = item;
	queue->tail = item;
}

static void take(struct queue *queue)
{
	struct item *item = queue->head;
	if (!item) {
		puts("empty");
		return;
	}
	queue->head = item->next;
	if (!item->next)
		queue->tail = 0;
	printf("%d\n", item->number);
	free(item);
}

int main(void)
{
	int command;
	while (scanf("%d", &command) == 1) {
		if (command < 0 || command > 3)
			return 1;
		struct queue *queue = &queues[command & 1];
		if (command & 2)
			put(queue);
		else
			take(queue);
	}
	return 0;
}
