/* What perror says, what asprintf makes, and the first bit that ffs finds. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int main(void) {
  static const int numbers[] = {0, ENOENT, ERANGE, EINVAL, 133, 200};
  for (int i = 0; i < 6; i++) {
    errno = numbers[i];
    perror("prog");
    errno = numbers[i];
    perror("");
    errno = numbers[i];
    perror(NULL);
  }
  errno = 0;
  strtol("99999999999999999999", NULL, 10);
  perror("strtol");
  char *text;
  printf("%d ", asprintf(&text, "%s-%05d-%g", "a", 42, 2.5));
  puts(text);
  free(text);
  for (int i = 0; i < 40; i++)
    printf("%d %d %d\n", ffs(i * 12), ffsl(1L << i), ffsll(-8LL * i));
  return 0;
}
