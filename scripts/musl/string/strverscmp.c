/* Compares version strings, with the values that glibc gives. The order depends on where the texts
 * differ: in a number (the longer one is greater), among the leading zeros of a fraction (the shorter
 * one is greater), or elsewhere (The GNU C Library Reference Manual, "String/Array Comparison"). */

static int is_digit(unsigned char c) { return c - '0' < 10u; }

int strverscmp(const char *left, const char *right) {
  const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
  unsigned long at = 0, digits = 0;
  int only_zeros = 1;
  for (; a[at] == b[at]; at++) {
    if (!a[at])
      return 0;
    digits = is_digit(a[at]) ? digits + 1 : 0;
    only_zeros = (digits <= 1 || only_zeros) && a[at] == '0';
  }
  int difference = a[at] - b[at], a_goes_on = is_digit(a[at]), b_goes_on = is_digit(b[at]);
  int is_fraction = digits && a[at - digits] == '0';
  if (is_fraction)
    return only_zeros && a_goes_on != b_goes_on ? b_goes_on - a_goes_on : difference;
  if (digits && a_goes_on != b_goes_on)
    return a_goes_on - b_goes_on;
  if (!a_goes_on || !b_goes_on || (!digits && (a[at] == '0' || b[at] == '0')))
    return difference;
  while (is_digit(a[at]) && is_digit(b[at]))
    at++;
  return is_digit(a[at]) - is_digit(b[at]) ? is_digit(a[at]) - is_digit(b[at]) : difference;
}
