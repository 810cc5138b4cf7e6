/* strtol and its kind: values, ends and errno for every base. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *texts[] = {
    "", " ", "-", "+", "+-1", "0", "-0", "00", "0x", "0X", "0xg", "0x1", " -0x1F", "08", "0b1", "1", "-1", "12z", "zZ",
    "\t\n\v\f\r 7", "\xa0""1", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999",
    "0x7fffffffffffffff", "0xffffffffffffffffff", "-zzzzzzzzzzzzzzzzzzz", "1e5", "1.5", "1 2", "_1", "0_1"};

#define TRY(function, base)                                                                        \
  do {                                                                                             \
    char untouched = 0, *end = &untouched;                                                         \
    errno = 3;                                                                                     \
    long long value = (long long)function(text, &end, base);                                       \
    printf(" %lld", value);                                                                        \
    if (end == &untouched) printf(" no end");                                                      \
    else printf(" +%d", (int)(end - text));                                                        \
    printf(" %d;", errno);                                                                         \
    errno = 0;                                                                                     \
    function(text, NULL, base);                                                                    \
    printf("%d", errno);                                                                           \
  } while (0)

int main(void) {
  const int bases[] = {0, 1, 2, 8, 10, 16, 35, 36, 37, -1};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *text = texts[i];
    for (unsigned j = 0; j < sizeof bases / sizeof *bases; j++) {
      TRY(strtol, bases[j]); TRY(strtoul, bases[j]); TRY(strtoll, bases[j]); TRY(strtoull, bases[j]);
      TRY(strtoimax, bases[j]); TRY(strtoumax, bases[j]);
    }
    errno = 0;
    printf(" %d", atoi(text)); printf(" %d", errno);
    printf(" %ld %lld\n", atol(text), atoll(text));
  }
  div_t d = div(-7, 2);
  ldiv_t l = ldiv(7, -2);
  lldiv_t ll = lldiv(-9, 4);
  imaxdiv_t m = imaxdiv(9, -4);
  printf("%d %d %ld %ld %lld %lld %jd %jd\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem, m.quot, m.rem);
  printf("%d %ld %lld %jd\n", abs(-5), labs(-6), llabs(-7), imaxabs(-8));
  return 0;
}
