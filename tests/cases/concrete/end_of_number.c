//@ stdin: text "123"
/* A number that ends with the file has looked at the end of the file. */
#include <stdio.h>
int main(void) {
  int a = 0, n = scanf("%d", &a);
  printf("%d %d %d\n", n, a, feof(stdin));
  n = scanf("%d", &a);
  printf("%d %d\n", n, feof(stdin));
  return 0;
}
