/* The two functions of gnulib that parse_integer calls, for its warning of "0x", as they are in the
   C locale. */
#include <stdarg.h>
#include <stdio.h>

char const *
quote_n (int n, char const *text)
{
  static char slots[2][8];
  snprintf (slots[n], sizeof slots[n], "'%s'", text);
  return slots[n];
}

void
verror (int status, int errnum, char const *format, va_list arguments)
{
  fputs ("dd: ", stderr);
  vfprintf (stderr, format, arguments);
  fputc ('\n', stderr);
}
