/* Bit-fields of every width, at every offset, packed and not. */
#include <stdio.h>
#include <string.h>
static unsigned long long state = 88172645463325252ull, digest;
static unsigned long long next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
#define TEST(kind, before, width, attribute) { \
    struct attribute { kind head : before; kind field : width; signed char tail; } s; \
    memset(&s, 0, sizeof s); s.tail = -1; \
    s.field = (kind)next(); s.head = (kind)next(); s.field ^= s.head; s.field = (kind)(s.field + next()); s.field = (kind)((unsigned long long)s.field * 3 - 1); \
    kind old = s.field; s.field = (kind)(s.field + 1ull); s.field >>= 1; \
    digest = digest * 31 + (unsigned long long)s.field + (unsigned long long)old * 7 + (unsigned long long)s.head + (s.field < 0) + (unsigned char)s.tail; }
#define BOTH(before, width) TEST(unsigned long long, before, width, ) TEST(long long, before, width, ) \
  TEST(unsigned long long, before, width, __attribute__((packed))) TEST(long long, before, width, __attribute__((packed)))
#define SMALL(before, width) TEST(int, before, width, ) TEST(unsigned, before, width, __attribute__((packed)))
#define WIDTHS(m, b) m(b, 1) m(b, 2) m(b, 3) m(b, 5) m(b, 7) m(b, 8) m(b, 9) m(b, 12) m(b, 15) m(b, 16) m(b, 17) m(b, 20) m(b, 23) m(b, 24) m(b, 25) m(b, 30) m(b, 31) m(b, 32)
#define LARGE(m, b) m(b, 33) m(b, 36) m(b, 39) m(b, 40) m(b, 41) m(b, 47) m(b, 48) m(b, 49) m(b, 55) m(b, 56) m(b, 57) m(b, 62) m(b, 63) m(b, 64)
#define ALL(b) static void at##b(void) { WIDTHS(SMALL, b) WIDTHS(BOTH, b) LARGE(BOTH, b) printf("%d %llx\n", b, digest); }
ALL(1) ALL(13)
int main(void) { at1(); at13(); return (int)(digest & 127); }
