#include <stdio.h>
#include <string.h>

struct entry { char name[20]; int points; };
struct entry list[50];

static int before(struct entry *a, struct entry *b)
{
	if (a->points != b->points)
		return a->points > b->points;
	return strcmp(a->name, b->name) < 0;
}

int main(void)
{
	int n, i, j, first;
	struct entry other;
	if (scanf("%d", &n) != 1 || n > 50)
		return 1;
	for (i = 0; i < n; i++)
		if (scanf("%19s %d", list[i].name, &list[i].points) != 2)
			return 1;
	for (i = 0; i < n - 1; i++) {
		first = i;
		for (j = i + 1; j < n; j++)
			if (before(&list[j], &list[first]))
				first = j;
		other = list[i];
		list[i] = list[first];
		list[first] = other;
	}
	for (i = 0; i < n; i++)
		printf("%d. %s\n", i + 1, list[i].name);
	return 0;
}
