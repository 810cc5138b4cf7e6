//@ stdin: bytes 5
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[4];
  int count = 0;
  while (fgets(line, sizeof line, stdin)) {
    count++;
    line[strcspn(line, "\n")] = 0;
    printf("%d: %s\n", count, line);
    if (line[0] == '.') break;
  }
  return count;
}
