/* Bit-fields: signed, unsigned, packed, crossing units, zero width. */
#include <stdio.h>
#include <string.h>
struct a { unsigned x : 3; signed y : 5; unsigned z : 24; };
struct b { unsigned char p : 1, q : 7; short r : 9; int : 0; long long s : 37; unsigned long long t : 27; };
struct __attribute__((packed)) c { unsigned a : 3; unsigned b : 17; unsigned long long c : 40; int d : 4; };
union u { struct a a; unsigned word; };
static struct c global = {5, 0x1ffff, 0xabcdef0123ull, -3};
int main(void) {
  struct a a = {0};
  struct b b;
  memset(&b, 0, sizeof b);
  for (int i = -40; i < 40; i += 3) {
    a.x = i; a.y = i; a.z = i * 1234567;
    b.p = i; b.q = i; b.r = i * 17; b.s = i * 0x12345678901ll; b.t = i * 7777777ull;
    global.a += i; global.b ^= i; global.c *= 3; global.d--;
    a.x++; a.y += a.x; --b.r; b.s >>= 1;
    printf("%d %d %d | %d %d %d %lld %llu | %d %d %llu %d\n", a.x, a.y, a.z, b.p, b.q, b.r,
           (long long)b.s, (unsigned long long)b.t, global.a, global.b,
           (unsigned long long)global.c, global.d);
  }
  union u u; u.word = 0; u.a.y = -7; u.a.z = 99;
  printf("%08x %d\n", u.word, u.a.y < 0);
  printf("%zu %zu %zu\n", sizeof a, sizeof b, sizeof global);
  return 0;
}
