/* Switches of all kinds, computed gotos, loops with swapped variables. */
#include <stdio.h>
static int dense(int v) { switch (v) { case 0: return 5; case 1: return 7; case 2: return 11; case 3: return 13; case 4: return 1; default: return -1; } }
static int sparse(int v) { switch (v) { case -1000000: return 1; case 0: return 2; case 77: case 78: return 3; case 2000000000: return 4; } return 0; }
static int ranges(int v) { switch (v) { case 'a' ... 'z': return 1; case '0' ... '9': return 2; case 1000 ... 2000000: return 3; default: return 0; } }
static int longs(long long v) { switch (v) { case 1: return 1; case 0x100000001: return 2; case -1: return 3; case 0x7fffffffffffffff: return 4; } return 0; }
static int wide(__int128 v) { switch (v) { case (__int128)1 << 100: return 1; case -1: return 2; case 0: return 3; case ((__int128)1 << 100) + 1: return 4; } return 0; }
static int fall(unsigned char v) { int n = 0; switch (v) { case 3: n++; case 2: n++; case 1: n++; break; case 200: n = 9; } return n; }
static int run(const char *code) {
  static void *const labels[] = {&&halt, &&inc, &&dec, &&dup};
  static const int relative[] = {&&halt - &&halt, &&inc - &&halt, &&dec - &&halt, &&dup - &&halt};
  int acc = 1;
  goto *labels[code[0] - '0'];
inc: acc++; code++; goto *labels[code[0] - '0'];
dec: acc--; code++; goto *(&&halt + relative[code[0] - '0']);
dup: acc *= 2; code++; goto *labels[code[0] - '0'];
halt: return acc;
}
static const char *name(int v) { switch (v) { case 1: return "one"; case 2: return "two"; case 3: return "three"; case 4: return "four"; } return "many"; }
static unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
static int swap(int n) { int a = 1, b = 2; do { int t = a; a = b; b = t; } while (n--); return a * 10 + b; }
static int duff(int count) {
  int n = (count + 3) / 4, done = 0;
  switch (count % 4) { case 0: do { done++; case 3: done++; case 2: done++; case 1: done++; } while (--n > 0); }
  return done;
}
int main(void) {
  for (int i = -1; i < 6; i++) printf("%d ", dense(i));
  printf("%d %d %d %d %d\n", sparse(-1000000), sparse(0), sparse(78), sparse(2000000000), sparse(5));
  printf("%d %d %d %d\n", ranges('q'), ranges('5'), ranges(1500), ranges(-4));
  printf("%d %d %d %d %d\n", longs(1), longs(0x100000001), longs(-1), longs(0x7fffffffffffffff), longs(0x200000001));
  printf("%d %d %d %d %d\n", wide((__int128)1 << 100), wide(-1), wide(0), wide(((__int128)1 << 100) + 1), wide(1));
  printf("%d %d %d %d\n", fall(3), fall(1), fall(200), fall(0));
  printf("%d %d\n", run("1132310"), run("0"));
  for (int i = 0; i < 6; i++) puts(name(i));
  printf("%u %d %d %d\n", gcd(1071, 462), swap(7), swap(8), duff(13));
  return dense(3);
}
