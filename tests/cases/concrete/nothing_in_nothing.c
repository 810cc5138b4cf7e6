/* Searches for an empty text, and in one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

static void show(const char *name, const char *text, const char *found) {
  printf("%s %d\n", name, found ? (int)(found - text) : -1);
}

int main(void) {
  static const char *const texts[] = {"", "a", "Ab", "ba"};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const char *text = texts[i], *part = texts[j];
      show("strcasestr", text, strcasestr(text, part));
      show("strstr", text, strstr(text, part));
      show("strpbrk", text, strpbrk(text, part));
      show("memmem", text, memmem(text, strlen(text), part, strlen(part)));
      printf("%zu %zu\n", strspn(text, part), strcspn(text, part));
    }
  return 0;
}
