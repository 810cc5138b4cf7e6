/* The numbers that glibc gives: r[i] = r[i - 3] + r[i - 31] of 32 bits without the last one, behind 31
 * numbers of a multiplicative generator (Park and Miller, "Random number generators: good ones are hard
 * to find", CACM 1988) and 310 more that are thrown away. The standard leaves them open. */
#include <stdlib.h>

enum { WORDS = 31, APART = 3, THROWN_AWAY = 310 };

static unsigned words[WORDS];
static int at, is_seeded;

static unsigned next(void) {
  unsigned *word = &words[(at + APART) % WORDS];
  *word += words[at];
  at = (at + 1) % WORDS;
  return *word >> 1;
}

void srandom(unsigned seed) {
  const int modulus = 2147483647, factor = 16807;
  const int quotient = modulus / factor, rest = modulus % factor;
  int word = seed ? seed : 1;
  for (int i = 0; i < WORDS; i++) {
    words[i] = word;
    word = (long)factor * (word % quotient) - (long)rest * (word / quotient);
    if (word < 0)
      word += modulus;
  }
  at = 0;
  is_seeded = 1;
  for (int i = 0; i < THROWN_AWAY; i++)
    next();
}

long random(void) {
  if (!is_seeded)
    srandom(1);
  return next();
}
