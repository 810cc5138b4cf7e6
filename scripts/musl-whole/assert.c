/* Where an assertion stands is not shown: a patch that moves it by a line makes no other program of
 * it (docs/soundness.md). */
#include <stdio.h>
#include <stdlib.h>

_Noreturn void __assert_fail(const char *expr, const char *file, int line, const char *func) {
    fprintf(stderr, "Assertion failed: %s\n", expr);
    abort();
}
