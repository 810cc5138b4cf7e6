/* Memory whose size depends on input: one object, and its size an expression. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <klee/klee.h>

static int filled(unsigned n) {
    unsigned char *p = malloc(n);
    if (!p)
        return -1;
    for (unsigned i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 3);
    int sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += p[i];
    free(p);
    return sum;
}

static int zeroed(unsigned n, unsigned at) {
    int *p = calloc(n, sizeof *p);
    if (!p)
        return -1;
    p[0] = 7;
    int result = at < n ? p[at] : -2;
    free(p);
    return result;
}

static int local(unsigned n, unsigned at) {
    int array[n];
    memset(array, 0, sizeof array);
    array[at] = 5;
    return array[0] + array[n - 1] * 10;
}

static int grown(unsigned n, unsigned more) {
    char *p = malloc(n);
    if (!p)
        return -1;
    memset(p, 'a', n);
    p = realloc(p, n + more);
    if (!p)
        return -1;
    memset(p + n, 'b', more);
    int result = p[0] * 256 + p[n + more - 1];
    free(p);
    return result;
}

int main(void) {
    unsigned n, at, which;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&at, sizeof at, "at");
    klee_make_symbolic(&which, sizeof which, "which");
    switch (which) {
    case 0:
        klee_assume(n < 6);
        return printf("%d\n", filled(n)) < 0;
    case 1:
        klee_assume(n >= 1);
        klee_assume(n < 2000);
        return printf("%d\n", zeroed(n, at)) < 0;
    case 2:
        klee_assume(n >= 1);
        klee_assume(n < 400);
        klee_assume(at < n);
        return printf("%d\n", local(n, at)) < 0;
    default:
        klee_assume(n >= 1);
        klee_assume(n < 5);
        klee_assume(at >= 1);
        klee_assume(at < 6);
        return printf("%d\n", grown(n, at)) < 0;
    }
}
