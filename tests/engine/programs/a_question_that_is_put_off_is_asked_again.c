#include <stdio.h>
#include <string.h>
int main(void) {
  int a, b;
  char word[9];
  if (scanf("%d %d %8s", &a, &b, word) != 3) return 9;
  if (a < b) putchar('<');
  while (b > 3 && b < 9) { b++; putchar('+'); }
  return strcmp(word, "ab") ? a % 3 == 1 : 7;
}
