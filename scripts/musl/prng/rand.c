/* In glibc, these are `random` and `srandom`. */
#include <stdlib.h>

int rand(void) { return random(); }
void srand(unsigned seed) { srandom(seed); }
