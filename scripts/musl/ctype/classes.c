/* The classes of characters in glibc's C locale. C 7.4 requires only that the results are nonzero;
 * glibc's are bits from a table that its macros read, and whose names and layout the Linux Standard
 * Base fixes (Core, "__ctype_b_loc"). The table also has entries for EOF and for the negative
 * characters of a signed char. */
#define UPPER 0x100
#define LOWER 0x200
#define ALPHA 0x400
#define DIGIT 0x800
#define XDIGIT 0x1000
#define SPACE 0x2000
#define PRINT 0x4000
#define GRAPH 0x8000
#define BLANK 0x1
#define CNTRL 0x2
#define PUNCT 0x4
#define ALNUM 0x8

#define FIRST (-128)
#define LAST 255
#define AT(c) ((c) - FIRST)
#define VISIBLE (PRINT | GRAPH)
#define LETTER (VISIBLE | ALNUM | ALPHA)

static const unsigned short classes[LAST - FIRST + 1] = {
    [AT(0) ... AT('\b')] = CNTRL,
    [AT('\t')] = CNTRL | SPACE | BLANK,
    [AT('\n') ... AT('\r')] = CNTRL | SPACE,
    [AT('\r' + 1) ... AT(' ' - 1)] = CNTRL,
    [AT(' ')] = PRINT | SPACE | BLANK,
    [AT('!') ... AT('0' - 1)] = VISIBLE | PUNCT,
    [AT('0') ... AT('9')] = VISIBLE | ALNUM | DIGIT | XDIGIT,
    [AT('9' + 1) ... AT('A' - 1)] = VISIBLE | PUNCT,
    [AT('A') ... AT('F')] = LETTER | UPPER | XDIGIT,
    [AT('G') ... AT('Z')] = LETTER | UPPER,
    [AT('Z' + 1) ... AT('a' - 1)] = VISIBLE | PUNCT,
    [AT('a') ... AT('f')] = LETTER | LOWER | XDIGIT,
    [AT('g') ... AT('z')] = LETTER | LOWER,
    [AT('z' + 1) ... AT('~')] = VISIBLE | PUNCT,
    [AT(127)] = CNTRL,
};

static const unsigned short *const origin = classes + AT(0);

const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&origin; }

#define CLASS(name, bit)                                                                           \
  int name(int c) { return (*__ctype_b_loc())[c] & (bit); }

CLASS(isalnum, ALNUM)
CLASS(isalpha, ALPHA)
CLASS(isblank, BLANK)
CLASS(iscntrl, CNTRL)
CLASS(isdigit, DIGIT)
CLASS(isgraph, GRAPH)
CLASS(islower, LOWER)
CLASS(isprint, PRINT)
CLASS(ispunct, PUNCT)
CLASS(isspace, SPACE)
CLASS(isupper, UPPER)
CLASS(isxdigit, XDIGIT)

/* Wide characters. The C locale knows only those of ASCII. */

static int is(unsigned c, int bit) { return c < 128 ? (*__ctype_b_loc())[c] & bit : 0; }

#define WIDE_CLASS(name, bit)                                                                      \
  int name(unsigned c) { return is(c, bit); }

WIDE_CLASS(iswalnum, ALNUM)
WIDE_CLASS(iswalpha, ALPHA)
WIDE_CLASS(iswblank, BLANK)
WIDE_CLASS(iswcntrl, CNTRL)
WIDE_CLASS(iswgraph, GRAPH)
WIDE_CLASS(iswlower, LOWER)
WIDE_CLASS(iswprint, PRINT)
WIDE_CLASS(iswpunct, PUNCT)
WIDE_CLASS(iswspace, SPACE)
WIDE_CLASS(iswupper, UPPER)
WIDE_CLASS(iswxdigit, XDIGIT)

/* glibc, too, does not take this one from the table. */
int iswdigit(unsigned c) { return c - '0' < 10; }

int iswctype(unsigned c, unsigned long class) { return is(c, (int)class) != 0; }

static int same(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

/* A class is represented by its bit. */
unsigned long wctype(const char *name) {
  static const struct {
    const char *name;
    int bit;
  } known[] = {
      {"alnum", ALNUM}, {"alpha", ALPHA}, {"blank", BLANK}, {"cntrl", CNTRL},
      {"digit", DIGIT}, {"graph", GRAPH}, {"lower", LOWER}, {"print", PRINT},
      {"punct", PUNCT}, {"space", SPACE}, {"upper", UPPER}, {"xdigit", XDIGIT},
  };
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
    if (same(known[i].name, name))
      return (unsigned long)known[i].bit;
  return 0;
}
