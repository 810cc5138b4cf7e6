/* Switches that become tables: of pointers, of numbers, and, in code that may be loaded anywhere,
 * of relative addresses. */
#include <stdio.h>

static const char *name(unsigned number)
{
    switch (number) {
    case 0: return "zero";
    case 1: return "one";
    case 2: return "two";
    case 3: return "three";
    case 4: return "four";
    case 5: return "five";
    case 7: return "seven";
    default: return "many";
    }
}

static int first, second, third, fourth;

static int *place(int number)
{
    switch (number) {
    case -1: return &first;
    case 0: return &second;
    case 1: return &third;
    case 2: return &fourth;
    default: return 0;
    }
}

static const char *const days[] = {"monday", "tuesday", "wednesday", "thursday"};

int main(void)
{
    for (volatile int i = -2; i < 10; i++) {
        int *found = place(i);
        if (found)
            *found += i + 10;
        printf("%s %s %d\n", name((unsigned)i), days[i & 3], found ? *found : -1);
    }
    printf("%d %d %d %d\n", first, second, third, fourth);
    return 0;
}
