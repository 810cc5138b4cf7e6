//@ stdin: tokens 9 eof
#include <stdio.h>
#include <string.h>
int main(void) {
  int n, sum = 0; char word[4]; unsigned u; long l; short h; char c;
  if (scanf("%d", &n) != 1) return 2;
  if (n > 3) n = 3;
  for (int i = 0; i < n; i++) {
    int v;
    if (scanf("%d", &v) != 1) return 3;
    if (v < 0) { puts("negative"); break; }
    sum += v;
  }
  printf("%d\n", sum);
  if (scanf("%3s %u", word, &u) == 2) printf("<%s> %zu %x\n", word, strlen(word), u);
  if (scanf("%ld,%hd", &l, &h) == 2) printf("%ld\n", l + h);
  if (scanf(" %c", &c) == 1) printf("'%c'\n", c);
  return feof(stdin) ? 4 : 5;
}
