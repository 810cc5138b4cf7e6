//@ stdin: bytes 2
/* Loops that never end and print: the same each round, what depends on the input, what grows. */
#include <stdio.h>

int main(void) {
  unsigned char kind = getchar(), digit = getchar();
  int i;
  switch (kind % 7) {
  case 0:
    for (;;)
      puts("again");
  case 1:
    puts("begins");
    for (i = 0;; i++)
      printf("%d, ", digit);
  case 2:
    for (i = 0;; i++)
      putchar(digit % 2 ? 'x' : digit);
  case 3:
    for (i = 0;; i++)
      printf("%d\n", i);
  case 4:
    for (i = 0;; i++) {
      fputs("twice ", stdout);
      fprintf(stderr, "%s\n", digit > 10 ? "much" : "little");
    }
  case 5:
    for (i = 0;; i++) {
      fputs("same ", stdout);
      fprintf(stderr, "%d\n", i);
    }
  default:
    for (i = 0; i < 5000; i++)
      putchar('.');
    return 3;
  }
}
