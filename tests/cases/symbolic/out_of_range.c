/* Numbers that are no integers of the type they are converted to: as x86-64 does it. */
#include <math.h>
#include <stdio.h>
#include <klee/klee.h>

static const double numbers[] = {
    0.0, -0.5, -1.5, 2147483647.5, 2147483648.0, -2147483648.9, -2147483649.0, 4294967295.5,
    4294967296.0, 1e10, -1e10, 9223372036854774784.0, 9223372036854775808.0,
    18446744073709549568.0, 18446744073709551616.0, -9223372036854775808.0,
    -9223372036854777856.0, 1e300, -1e300, INFINITY, -INFINITY, NAN,
};

static void show(double number)
{
    float less = (float)number;
    printf("%d %u %ld %lu", (int)number, (unsigned)number, (long)number, (unsigned long)number);
    printf(" %d %u %ld %lu\n", (int)less, (unsigned)less, (long)less, (unsigned long)less);
}

static void show_strictly(double number)
{
#pragma STDC FENV_ACCESS ON
    float less = (float)number;
    printf("%d %u %ld %d %u %ld\n", (int)number, (unsigned)number, (long)number, (int)less,
           (unsigned)less, (long)less);
}

int main(void)
{
    double number;
    float less;
    volatile double place;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        place = numbers[i];
        show(place);
        show_strictly(place);
    }
    klee_make_symbolic(&number, sizeof number, "number");
    klee_make_symbolic(&less, sizeof less, "less");
    if ((int)number == -2147483647 - 1)
        puts(number > 1 ? "above" : number < -2147483648.5 ? "below" : number == number ? "least" : "none");
    if ((unsigned)number == 7 && number > 8)
        puts("cut");
    if ((unsigned long)less == 1ul << 63)
        puts(less < 0 ? "below" : less >= 0 ? "above" : "none");
    return 0;
}
