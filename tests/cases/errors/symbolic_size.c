//@ ends: 3 x exit
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned n, at;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&at, sizeof at, "at");
    klee_assume(n < 100);
    char *p = malloc(n);
    if (at < 50) {
        p[6] = 1; //~ out-of-bounds
        p[3] = 2;
        return p[6];
    }
    p = realloc(p, n + 1);
    memset(p, 3, n + (at == 77));
    if (at < 200)
        p[at - 50] = 4; //~ out-of-bounds
    free(p);
    return 0;
}
