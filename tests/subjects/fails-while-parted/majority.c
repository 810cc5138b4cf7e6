#include <stdio.h>

static int votes[100];

/* The vote of more than a half, if there is one. */
int main(void)
{
	int count, i, j, same, winner = -1;

	scanf("%d", &count);
	for (i = 0; i < count; i++)
		scanf("%d", &votes[i]);
	for (i = 0; i < count; i++) {
		same = 0;
		for (j = 0; j < count; j++)
			if (votes[i] == votes[j])
				same++;
		if (same * 2 > count)
			winner = votes[i];
	}
	printf("%d\n", winner);
	return 0;
}
