//@ stdin: text "12 -5 hello there\nand more lines\nx7 abcdef   y"
#include <stdio.h>
int main(void) {
  int a, b, n, c;
  char word[10], line[12];
  n = scanf("%d %d", &a, &b); printf("%d %d %d\n", n, a, b);
  n = scanf("%9s", word); printf("%d %s\n", n, word);
  c = getchar(); printf("%d\n", c);
  ungetc('Q', stdin); printf("%c", getchar());
  printf("%s", fgets(line, sizeof line, stdin));
  printf("%s|\n", fgets(line, 6, stdin));
  printf("%s", fgets(line, sizeof line, stdin));
  line[0] = 'z';
  printf("%s|%d\n", fgets(line, 1, stdin) ? "one" : "null", line[0]);
  n = scanf("%d", &a); printf("%d\n", n);
  n = scanf("%2s", word); printf("%d %s\n", n, word);
  size_t m = fread(word, 2, 2, stdin); printf("%zu %.4s %d\n", m, word, feof(stdin));
  printf("%zu %zu\n", fread(word, 0, 3, stdin), fread(word, 3, 0, stdin));
  n = scanf(" %c", word); printf("%d %c %d\n", n, word[0], feof(stdin));
  c = getchar(); printf("%d %d\n", c, feof(stdin));
  n = scanf("%d", &a); printf("%d %d\n", n, feof(stdin));
  c = getchar(); printf("%d %d\n", c, feof(stdin));
  printf("%d\n", fgets(line, 5, stdin) == NULL);
  return 0;
}
