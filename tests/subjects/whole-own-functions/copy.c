#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  char *copy = strdup(argc > 1 ? argv[1] : "none");
  puts(copy);
  return atoi(copy);
}
