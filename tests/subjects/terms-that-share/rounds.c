/* At -O2, the sum of each round mentions that of the round before several times: a comparison that
   takes them for trees, of as many rounds, does not end. */
#include <stdio.h>
#include <stdlib.h>

struct state {
	int number;
	unsigned char sum;
};

int main(void)
{
	int read;
	unsigned none = 0, count = 0;
	struct state *state = calloc(1, sizeof *state);
	if (!state)
		return 9;
	while ((read = getchar()) != EOF) {
		if (read == 'R')
			continue;
		if (count < 200)
			count++;
		state->sum += read & 3;
	}
	printf("%u\n", count);
	return 0;
}
