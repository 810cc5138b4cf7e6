/* The numbers that glibc gives: three steps of the generator that the C standard shows, for 31 bits. */
#include <stdlib.h>

int rand_r(unsigned *seed) {
  unsigned number = 0, state = *seed;
  for (int step = 0; step < 3; step++) {
    state = state * 1103515245 + 12345;
    number = number << 10 ^ state / 65536 % (step ? 1024 : 2048);
  }
  *seed = state;
  return number;
}
