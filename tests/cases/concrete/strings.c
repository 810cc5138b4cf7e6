#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <errno.h>
#include <limits.h>
static int sign(int x) { return (x > 0) - (x < 0); }
static int compare_ints(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int compare_strings(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
int main(void) {
  char buffer[64] = "", *save;
  const char *texts[] = {"", "a", "ab", "abc", "abd", "hello, world", "a longer text than a word", "\xff\x80"};
  int n = sizeof texts / sizeof *texts;
  for (int i = 0; i < n; i++) {
    const char *t = texts[i];
    printf("%zu %zu ", strlen(t), strnlen(t, 4));
    for (int j = 0; j < n; j++)
      printf("%d%d%d%d%d ", sign(strcmp(t, texts[j])), sign(strncmp(t, texts[j], 2)),
             strstr(t, texts[j]) != NULL, (int)strspn(t, texts[j]), (int)strcspn(t, texts[j]));
    printf("%s %s\n", strchr(t, 'l') ? strchr(t, 'l') : "-", strrchr(t, 'o') ? strrchr(t, 'o') : "-");
    strcpy(buffer, t); strcat(buffer, "+"); strncat(buffer, t, 3); puts(buffer);
    memset(buffer, '#', 10); strncpy(buffer, t, 9); printf("%.10s|\n", buffer);
    printf("%d %d\n", sign(strcasecmp(t, "ABC")), memchr(t, 'b', strlen(t)) != NULL);
    char *copy = strdup(t); puts(copy); free(copy);
  }
  char line[] = "  one two,three  ,four";
  for (char *w = strtok_r(line, " ,", &save); w; w = strtok_r(NULL, " ,", &save)) printf("<%s>", w);
  puts("");
  for (int c = -1; c < 256; c++)
    putchar("0123456789abcdef"[(isalpha(c) != 0) + (isdigit(c) != 0) * 2 + (isspace(c) != 0) * 4 + (isupper(c) != 0) * 8]);
  for (int c = 0; c < 128; c += 5) printf(" %d %d %d", toupper(c), tolower(c), ispunct(c) != 0);
  puts("");
  const char *numbers[] = {"0", "-1", "  42x", "0x1F", "017", "+9", "99999999999999999999", "-99999999999999999999", "", "z", "0x", "2147483648"};
  for (int i = 0; i < 12; i++) {
    char *end;
    errno = 0;
    long a = strtol(numbers[i], &end, 0);
    printf("%ld %d %d ", a, (int)(end - numbers[i]), errno);
    errno = 0;
    unsigned long b = strtoul(numbers[i], &end, 10);
    printf("%lu %d %d ", b, (int)(end - numbers[i]), errno);
    printf("%lld %d\n", strtoll(numbers[i], NULL, 36), i == 6 || i == 7 || i == 11 ? 0 : atoi(numbers[i]));
  }
  int v[] = {5, -3, 99, 0, 5, 17, -3, 8, 1, 2, 3, 4, 100, -100, 6}, count = sizeof v / sizeof *v;
  qsort(v, count, sizeof *v, compare_ints);
  for (int i = 0; i < count; i++) printf("%d ", v[i]);
  int keys[] = {99, 7, -100};
  for (int i = 0; i < 3; i++) {
    int *found = bsearch(&keys[i], v, count, sizeof *v, compare_ints);
    printf("%d ", found ? (int)(found - v) : -1);
  }
  char *names[] = {"pear", "apple", "fig", "banana", "cherry"};
  qsort(names, 5, sizeof *names, compare_strings);
  for (int i = 0; i < 5; i++) printf("%s ", names[i]);
  puts("");
  int *grown = NULL;
  for (int i = 0; i < 20; i++) { grown = realloc(grown, (i + 1) * sizeof *grown); grown[i] = i * i; }
  grown = realloc(grown, 5 * sizeof *grown);
  printf("%d %d\n", grown[0], grown[4]);
  free(grown);
  int *zeros = calloc(7, sizeof *zeros);
  printf("%d %d %d\n", zeros[6], abs(-5), (int)labs(-7L));
  free(zeros);
  printf("%d %d %d\n", sign(memcmp("abc", "abd", 2)), sign(memcmp("abc", "abd", 3)), sign(memcmp("\xff", "\x01", 1)));
  return 0;
}
