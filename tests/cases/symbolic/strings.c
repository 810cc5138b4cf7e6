#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
int main(void) {
  char a[4], b[3];
  klee_make_symbolic(a, sizeof a, "a");
  klee_make_symbolic(b, sizeof b, "b");
  a[3] = b[2] = 0;
  int order = strcmp(a, b);
  printf("%zu %d\n", strlen(a), order < 0 ? -1 : order > 0);
  if (strchr(a, 'x')) puts("has x");
  if (isdigit((unsigned char)a[0])) printf("%d\n", atoi(a));
  else if (b[0] == 'q') { char copy[8]; strcpy(copy, a); strcat(copy, b); printf("[%s]\n", copy); }
  return strncmp(a, "ab", 2) == 0;
}
