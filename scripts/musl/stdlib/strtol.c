/* Reads integers from text as glibc does (C11 7.22.1.4): without digits errno stays as it is, an
 * invalid base leaves *END as it is, and a number that does not fit is ERANGE. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>

/* The value of a character as a digit of a base up to 36, or a larger number if it is none. */
static unsigned digit(unsigned char c) {
  if (c - '0' < 10u)
    return c - '0';
  unsigned letter = (c | 32u) - 'a';
  return letter < 26 ? letter + 10 : UINT_MAX;
}

static int is_space(char c) { return c == ' ' || (unsigned char)c - '\t' < 5u; }

/* The absolute value of the number, and its sign; *OVERFLOWS is set if it is above ULONG_MAX. */
static unsigned long magnitude(const char *text, char **end, int base, int *negative,
                               int *overflows) {
  const char *at = text;
  unsigned long value = 0;
  *negative = *overflows = 0;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return 0;
  }
  while (is_space(*at))
    at++;
  if (*at == '-' || *at == '+')
    *negative = *at++ == '-';
  if ((base == 0 || base == 16) && *at == '0' && (at[1] | 32) == 'x' && digit(at[2]) < 16) {
    at += 2;
    base = 16;
  }
  if (base == 0)
    base = *at == '0' ? 8 : 10;
  const char *digits = at;
  unsigned long most = ULONG_MAX / (unsigned)base;
  for (unsigned d; (d = digit(*at)) < (unsigned)base; at++) {
    if (value > most || value * (unsigned)base > ULONG_MAX - d)
      *overflows = 1;
    else
      value = value * (unsigned)base + d;
  }
  if (end)
    *end = (char *)(at == digits ? text : at);
  return value;
}

/* Static, as a program may have a strtol of its own. */
static long read_long(const char *text, char **end, int base) {
  int negative, overflows;
  unsigned long value = magnitude(text, end, base, &negative, &overflows);
  if (overflows || value > (unsigned long)LONG_MAX + negative) {
    errno = ERANGE;
    return negative ? LONG_MIN : LONG_MAX;
  }
  return (long)(negative ? -value : value);
}

static unsigned long read_unsigned(const char *text, char **end, int base) {
  int negative, overflows;
  unsigned long value = magnitude(text, end, base, &negative, &overflows);
  if (overflows) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return negative ? -value : value;
}

/* All of these have 64 bits. */
#define AS(read, type, name)                                                                       \
  type name(const char *text, char **end, int base) { return read(text, end, base); }

AS(read_long, long, strtol)
AS(read_long, long long, strtoll)
AS(read_long, long, strtoimax)
AS(read_long, long long, strtoq)
AS(read_unsigned, unsigned long, strtoul)
AS(read_unsigned, unsigned long long, strtoull)
AS(read_unsigned, unsigned long, strtoumax)
AS(read_unsigned, unsigned long long, strtouq)

int atoi(const char *text) { return (int)read_long(text, NULL, 10); }
long atol(const char *text) { return read_long(text, NULL, 10); }
long long atoll(const char *text) { return read_long(text, NULL, 10); }
