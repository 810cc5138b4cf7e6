/* What the functions of <string.h> and <wchar.h> return beyond what C says of it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <limits.h>
#include <stdint.h>

int main(void) {
  const char *texts[] = {"", "a", "A", "b", "ab", "aB", "abc", "abd", "a\x80", "a\xff", "\xe9", "a9", "a10", "a010", "a1",
                         "a00", "a01", "the quick brown fox", "the quick brown dog", "z", "[", "_"};
  int n = sizeof texts / sizeof *texts;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const char *a = texts[i], *b = texts[j];
      size_t la = strlen(a), lb = strlen(b), least = (la < lb ? la : lb) + 1;
      printf("%d %d %d %d ", strcmp(a, b), strncmp(a, b, 2), memcmp(a, b, least), bcmp(a, b, least));
      printf("%d %d %d %d\n", strcasecmp(a, b), strncasecmp(a, b, 2), strcoll(a, b), strverscmp(a, b));
    }
  const wchar_t *wide[] = {L"", L"a", L"B", L"ab", L"aB", L"\x80", L"\xe9", L"\xc9", L"\x7fffffff", L"a\x3b1", L"a\x391"};
  n = sizeof wide / sizeof *wide;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const wchar_t *a = wide[i], *b = wide[j];
      printf("%d %d %d %d %d\n", wcscmp(a, b), wcsncmp(a, b, 1), wmemcmp(a, b, 1), wcscasecmp(a, b), wcsncasecmp(a, b, 1));
    }
  wchar_t extreme[] = {INT_MIN, INT_MAX, 0};
  printf("%d %d %d\n", wmemcmp(extreme, extreme + 1, 1), wcscmp(extreme, extreme + 1), wcsncmp(extreme + 1, extreme, 1));
  /* The headers are those of the native build. */
  printf("%d %d %d %d %d %d\n", (int)sizeof(int_fast16_t), BUFSIZ, FILENAME_MAX, RAND_MAX, EOF, L_tmpnam);
#ifdef __GLIBC__
  printf("glibc %d\n", __GLIBC__);
#endif
  for (int error = -2; error < 140; error++)
    puts(strerror(error));
  puts(strerror(INT_MIN));
  char buffer[16];
  printf("%d %s\n", snprintf(buffer, 4, "%d", 123456), buffer);
  printf("%d\n", snprintf(NULL, 0, "%s-%5d", "ab", 7));
  char pair[] = "ab:cd::ef", *rest = pair, *part;
  while ((part = strsep(&rest, ":")))
    printf("<%s>", part);
  printf("%d %s\n", (int)(stpcpy(buffer, "xyz") - buffer), stpncpy(buffer, "12", 3) - 2);
  printf("%s|%s|%s\n", (char *)memmem("abcdef", 6, "cd", 2), strcasestr("Hello World", "WOR"), strchrnul("abc", 'x') - 1);
  printf("%d\n", memccpy(buffer, "hello", 'l', 5) == buffer + 3);
  return 0;
}
