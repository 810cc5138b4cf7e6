#include <stdio.h>
#include <string.h>
int main(void) {
  int a = -1, b = -2, c = -3, n;
  unsigned u = 0;
  char s[20] = "", t[20] = "", ch = '?';
  short h = 0; long l = 0; signed char hh = 0; unsigned char uc = 0;
  n = sscanf("12 -7 +9", "%d%d%d", &a, &b, &c); printf("%d %d %d %d\n", n, a, b, c);
  n = sscanf("12abc", "%d%s", &a, s); printf("%d %d %s\n", n, a, s);
  n = sscanf("", "%d", &a); printf("%d\n", n);
  n = sscanf("   ", "%d", &a); printf("%d\n", n);
  n = sscanf("x", "%d", &a); printf("%d\n", n);
  n = sscanf("5 x", "%d%d", &a, &b); printf("%d %d\n", n, a);
  n = sscanf("5", "%d%d", &a, &b); printf("%d %d\n", n, a);
  n = sscanf("1,2,3", "%d,%d,%d", &a, &b, &c); printf("%d %d %d %d\n", n, a, b, c);
  n = sscanf("1 ,2", "%d,%d", &a, &b); printf("%d\n", n);
  n = sscanf("1 ,2", "%d ,%d", &a, &b); printf("%d %d\n", n, b);
  n = sscanf("0x1f 077 ff", "%i%i%x", &a, &b, &u); printf("%d %d %d %u\n", n, a, b, u);
  n = sscanf("12345678", "%3d%2d%d", &a, &b, &c); printf("%d %d %d %d\n", n, a, b, c);
  n = sscanf("hello world", "%3s%s%s", s, t, t + 10); printf("%d %s %s %s\n", n, s, t, t + 10);
  n = sscanf("abc", "%c%c", &ch, s); printf("%d %c %c\n", n, ch, s[0]);
  n = sscanf(" x", "%c", &ch); printf("%d [%c]\n", n, ch);
  n = sscanf(" x", " %c", &ch); printf("%d [%c]\n", n, ch);
  n = sscanf("key=value;", "%[a-z]=%[^;];", s, t); printf("%d %s %s\n", n, s, t);
  n = sscanf("123", "%[a-z]", s); printf("%d\n", n);
  n = sscanf("1 2 3", "%d %*d %d", &a, &b); printf("%d %d %d\n", n, a, b);
  n = sscanf("50%", "%d%%", &a); printf("%d\n", n);
  n = sscanf("50 60%7", "%d %d%%%d", &a, &b, &c); printf("%d %d\n", n, c);
  n = sscanf("70000 -70000 300 200", "%hd%ld%hhd%hhu", &h, &l, &hh, &uc); printf("%d %d %ld %d %d\n", n, h, l, hh, uc);
  n = sscanf("4294967295 37", "%u%o", &u, &a); printf("%d %u %d\n", n, u, a);
  n = sscanf("- 5", "%d", &a); printf("%d\n", n);
  n = sscanf("0xg", "%x", &u); printf("%d %u\n", n, u);
  n = sscanf("+", "%d", &a); printf("%d\n", n);
  n = sscanf("abcdefgh", "%4c", s); printf("%d %.4s\n", n, s);
  n = sscanf("ab", "%4c", t); printf("%d %.2s\n", n, t);
  n = sscanf("]x", "%[]]%c", s, &ch); printf("%d %s %c\n", n, s, ch);
  n = sscanf("a-b", "%[a-]%c", s, &ch); printf("%d %s %c\n", n, s, ch);
  return 0;
}
