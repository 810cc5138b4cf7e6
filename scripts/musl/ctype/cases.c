/* Upper and lower case as in glibc's C locale: a negative character of a signed char becomes that of
 * an unsigned one; EOF and values that are no characters stay as they are. */
#define FIRST (-128)
#define LAST 255

static int unsigned_char(int c) { return c < -1 ? c + 256 : c; }

int tolower(int c) {
  if (c < FIRST || c > LAST)
    return c;
  return (unsigned)c - 'A' < 26 ? c + ('a' - 'A') : unsigned_char(c);
}

int toupper(int c) {
  if (c < FIRST || c > LAST)
    return c;
  return (unsigned)c - 'a' < 26 ? c - ('a' - 'A') : unsigned_char(c);
}

/* The tables that glibc's macros read (Linux Standard Base Core, "__ctype_tolower_loc"). */

#define FOUR(at) (at), (at) + 1, (at) + 2, (at) + 3
#define SIXTEEN(at) FOUR(at), FOUR((at) + 4), FOUR((at) + 8), FOUR((at) + 12)
#define SIXTY_FOUR(at) SIXTEEN(at), SIXTEEN((at) + 16), SIXTEEN((at) + 32), SIXTEEN((at) + 48)
#define LETTERS(at) SIXTEEN(at), FOUR((at) + 16), FOUR((at) + 20), (at) + 24, (at) + 25
/* A table with `big` and the letters after it at A, and `small` and the letters after it at a. */
#define ROW(big, small)                                                                            \
  {                                                                                                \
      SIXTY_FOUR(128), SIXTY_FOUR(192), SIXTY_FOUR(0), '@', LETTERS(big), FOUR('['), '_', '`',     \
      LETTERS(small), FOUR('{'), 127, SIXTY_FOUR(128), SIXTY_FOUR(192), [-1 - FIRST] = -1,         \
  }

static const int lower[LAST - FIRST + 1] = ROW('a', 'a');
static const int upper[LAST - FIRST + 1] = ROW('A', 'A');
static const int *const lower_origin = lower - FIRST;
static const int *const upper_origin = upper - FIRST;

const int **__ctype_tolower_loc(void) { return (const int **)&lower_origin; }
const int **__ctype_toupper_loc(void) { return (const int **)&upper_origin; }

/* Wide characters. The C locale knows only those of ASCII. */

static unsigned to_lower(unsigned c) { return c - 'A' < 26 ? c + ('a' - 'A') : c; }
static unsigned to_upper(unsigned c) { return c - 'a' < 26 ? c - ('a' - 'A') : c; }

unsigned towlower(unsigned c) { return to_lower(c); }
unsigned towupper(unsigned c) { return to_upper(c); }

static int same(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

/* A mapping is represented by its table. */
const int *wctrans(const char *name) {
  if (same(name, "tolower"))
    return lower;
  return same(name, "toupper") ? upper : 0;
}

unsigned towctrans(unsigned c, const int *mapping) {
  if (mapping == lower)
    return to_lower(c);
  return mapping == upper ? to_upper(c) : c;
}
