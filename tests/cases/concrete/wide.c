/* 128-bit integers. */
#include <stdio.h>
typedef __int128 i128;
typedef unsigned __int128 u128;
static void show(const char *what, u128 v) {
  printf("%s %016llx%016llx\n", what, (unsigned long long)(v >> 64), (unsigned long long)v);
}
static i128 divide(i128 a, i128 b) { return a / b; }
static u128 rotate(u128 v, int by) { return by ? v << by | v >> (128 - by) : v; }
struct wide { char tag; i128 value; };
static struct wide make(i128 v) { struct wide w = {'w', v}; return w; }
int main(void) {
  u128 corners[] = {0, 1, 2, ~(u128)0, (u128)1 << 127, ((u128)1 << 127) - 1, (u128)1 << 64,
                    ((u128)0x0123456789abcdefull << 64) | 0xfedcba9876543210ull};
  int n = sizeof corners / sizeof *corners;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      u128 a = corners[i], b = corners[j];
      show("+", a + b);
      show("-", a - b);
      show("*", a * b);
      show("<<", a << (b & 127));
      show(">>", a >> (b & 127));
      show("sar", (i128)a >> (b & 127));
      if (b) {
        show("/", a / b);
        show("%", a % b);
        if (!((i128)b == -1 && a == (u128)1 << 127)) {
          show("s/", divide(a, b));
          show("s%", (i128)a % (i128)b);
        }
      }
      printf("%d%d%d%d\n", a < b, (i128)a < (i128)b, a == b, a >= b);
      show("rotate", rotate(a, (int)(b & 127)));
      show("struct", make(a).value);
    }
  show("trunc", (u128)(int)corners[7]);
  show("sext", (u128)(i128)(signed char)-3);
  switch ((int)(corners[3] >> 120)) {
  case 255: puts("255"); break;
  default: puts("other");
  }
  return 0;
}
