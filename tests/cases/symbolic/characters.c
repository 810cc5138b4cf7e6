//@ stdin: bytes 4
#include <stdio.h>
#include <ctype.h>
int main(void) {
  int c, words = 0, inside = 0, lines = 0, digits = 0;
  while ((c = getchar()) != EOF) {
    if (c == '\n') lines++;
    if (isspace(c)) inside = 0;
    else if (!inside) { inside = 1; words++; }
    if (c >= '0' && c <= '9') { digits = digits * 10 + (c - '0'); ungetc('z', stdin); if (getchar() != 'z') return 1; }
    else putchar(c ^ 1);
  }
  printf("%d %d %d\n", words, lines, digits);
  return c == EOF && feof(stdin);
}
