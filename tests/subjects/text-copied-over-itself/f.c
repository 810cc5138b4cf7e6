#include <stdio.h>
#include <string.h>

struct names {
  char first[8], second[8];
};

int main(void) {
  struct names names;
  char text[16];
  if (scanf("%3s", text) != 1)
    return 1;
  strcat(text, "!");
  strcpy(names.first, text);
  sprintf(names.second, "%s.", names.first);
  strcpy(text, text + 1);
  puts(names.second);
  puts(text);
  return 0;
}
