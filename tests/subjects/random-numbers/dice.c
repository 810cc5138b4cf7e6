#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int seed, number;
    if (scanf("%d", &seed) != 1)
        return 1;
    srand(seed);
    number = rand() % 10;
    printf("%d\n", number > 4 ? rand() % 6 + 1 : 0);
    return 0;
}
