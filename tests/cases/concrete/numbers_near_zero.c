/* What strtod and its kind make of numbers that are too small, and whether errno says so. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const texts[] = {
    "0", "-0", "0e-400", "0x0p-2000", "1e-400", "2.47e-324", "2.4703282292062327e-324",
    "2.4703282292062328e-324", "3e-324", "4.9e-324", "-4.9e-324x", "1e-310",
    "2.2250738585072009e-308", "2.2250738585072011e-308", "2.2250738585072012e-308",
    "2.2250738585072013e-308", "2.2250738585072014e-308", "0x1p-1074", "0x1.8p-1074", "0x1p-1075",
    "0x1.00001p-1075", "0x1p-1030", "0x1.fffffffffffffp-1023", "0x1.fffffffffffff7p-1023",
    "0x1.fffffffffffff8p-1023", "0x1.fffffffffffffcp-1023", " .5e-323", "7e-46", "1e-45", "1.4e-45",
    "1.1754943e-38", "1.17549429e-38", "1.175494349e-38", "1.17549435e-38", "3.3e-4932", "1e-4950",
    "1e-5000", "0x1p-16382", "0x1p-16445", "0x1p-16447", "1e400", "x", ""};

int main(void) {
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *end;
    errno = 7;
    double number = strtod(texts[i], &end);
    printf("%s: %a %d %d,", texts[i], number, errno, (int)(end - texts[i]));
    errno = 7;
    long double wide = strtold(texts[i], NULL);
    printf(" %La %d,", wide, errno);
    if (texts[i][0] != '0' || texts[i][1] != 'x') {
      errno = 7;
      float narrow = strtof(texts[i], NULL);
      printf(" %a %d", narrow, errno);
    }
    puts("");
  }
  return 0;
}
