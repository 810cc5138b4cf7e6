#include <stdio.h>
#include <string.h>

int main(void) {
  char text[16] = "";
  if (scanf("%3s", text) != 1)
    return 1;
  strncpy(text + 1, text, 5);
  puts(text);
  return 0;
}
