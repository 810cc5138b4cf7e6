/* Every value of the functions and macros of <ctype.h> and <wctype.h>, also where C fixes only
 * whether it is zero. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

static void shown(const char *name, int c, int value, int *last) {
  if (value != *last)
    printf(" %s(%d)=%d", name, c, value);
  *last = value;
}

#define ROW(first, end, name)                                                                      \
  do {                                                                                             \
    int last = 12345, called = 12345;                                                              \
    for (int c = (first); c < (end); c++) {                                                        \
      shown(#name, c, name(c), &last);                                                             \
      shown("(" #name ")", c, (name)(c), &called);                                                 \
    }                                                                                              \
    puts("");                                                                                      \
  } while (0)

#define MAPPING(first, end, name)                                                                  \
  do {                                                                                             \
    int last = 12345, called = 12345;                                                              \
    for (int c = (first); c < (end); c++) {                                                        \
      shown(#name "-", c, (int)name(c) - c, &last);                                                \
      shown("(" #name ")-", c, (int)(name)(c) - c, &called);                                       \
    }                                                                                              \
    puts("");                                                                                      \
  } while (0)

int main(void) {
  ROW(-128, 256, isalnum); ROW(-128, 256, isalpha); ROW(-128, 256, isblank); ROW(-128, 256, iscntrl);
  ROW(-128, 256, isdigit); ROW(-128, 256, isgraph); ROW(-128, 256, islower); ROW(-128, 256, isprint);
  ROW(-128, 256, ispunct); ROW(-128, 256, isspace); ROW(-128, 256, isupper); ROW(-128, 256, isxdigit);
  ROW(-300, 600, isascii);
  MAPPING(-300, 600, tolower); MAPPING(-300, 600, toupper); MAPPING(-300, 600, toascii);
  int last = 12345;
  for (int c = -128; c < 256; c++) {
    shown("_tolower-", c, _tolower(c) - c, &last);
    shown("_toupper-", c, _toupper(c) - c, &last);
  }
  puts("");
  ROW(-2, 700, iswalnum); ROW(-2, 700, iswalpha); ROW(-2, 700, iswblank); ROW(-2, 700, iswcntrl);
  ROW(-2, 700, iswdigit); ROW(-2, 700, iswgraph); ROW(-2, 700, iswlower); ROW(-2, 700, iswprint);
  ROW(-2, 700, iswpunct); ROW(-2, 700, iswspace); ROW(-2, 700, iswupper); ROW(-2, 700, iswxdigit);
  ROW(0x2000, 0x2080, iswspace); ROW(0xff00, 0xff40, iswalpha);
  MAPPING(-2, 700, towlower); MAPPING(-2, 700, towupper); MAPPING(-2, 700, wcwidth);
  const char *classes[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower",
                           "print", "punct", "space", "upper", "xdigit"};
  for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
    wctype_t class = wctype(classes[i]);
    last = 12345;
    for (int c = -2; c < 300; c++)
      shown(classes[i], c, iswctype(c, class), &last);
  }
  printf("%d %d\n", wctype("alphabet") == 0, wctype("") == 0);
  printf("%d %d %d\n", (int)towctrans('q', wctrans("toupper")), (int)towctrans('Q', wctrans("tolower")),
         wctrans("rot13") == 0);
  printf("%d %d %d %d\n", (int)MB_CUR_MAX, wcswidth(L"plain", 9), wcswidth(L"plain", 2), wcswidth(L"a\tb", 3));
  return 0;
}
