int printf(const char *, ...);
#include <stdarg.h>
static int second(int count, ...) {
  va_list list;
  va_start(list, count);
va_arg(list, int);
  return va_arg(list, int);
}
int main(void) { return second(2, 1); }
