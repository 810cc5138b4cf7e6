//@ ends: exit
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char text[3], other[3];
    klee_make_symbolic(text, sizeof text, "text");
    klee_make_symbolic(other, sizeof other, "other");
    return strcmp(text, other) > 0; //~ out-of-bounds
}
