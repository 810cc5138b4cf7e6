/* Jumps back, lists of arguments, atomics and assembly on input. */
#include <klee/klee.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
static jmp_buf back;
static void check(int v) { if (v > 100) longjmp(back, v); if (v < 0) longjmp(back, 0); }
struct pair { long a; double d; };
static long sum(int n, ...) { va_list l; va_start(l, n); long s = 0; for (int i = 0; i < n; i++) s += i == 3 ? va_arg(l, struct pair).a : va_arg(l, int); va_end(l); return s; }
static int cas(volatile int *p, int t, int s) { __asm__ __volatile__("lock ; cmpxchg %3, %1" : "=a"(t), "=m"(*p) : "a"(t), "r"(s) : "memory"); return t; }
static int clz(long x) { __asm__("bsr %1,%0 ; xor $63,%0" : "=r"(x) : "r"(x)); return (int)x; }
int main(void) {
  int v, n; unsigned char k;
  klee_make_symbolic(&v, sizeof v, "v"); klee_make_symbolic(&n, sizeof n, "n"); klee_make_symbolic(&k, sizeof k, "k");
  int r = setjmp(back); if (r) { printf("%d\n", r); return 9; }
  check(v);
  struct pair p = {v, 1.0}; printf("%ld\n", sum(n & 7, v, n, 3, p, 5, 6, 7, 8));
  atomic_int a = v; int old = 5; if (atomic_compare_exchange_strong(&a, &old, n)) puts("five"); printf("%d %d\n", a, old);
  unsigned u = k; __atomic_fetch_nand(&u, (unsigned)n, 0); printf("%x %x\n", u, __atomic_fetch_max(&u, 77u, 0));
  int w = v; printf("%d ", cas(&w, 7, n)); printf("%d\n", w); if (k) printf("%d\n", clz(k)); __asm__ volatile("" : "+r"(w)); return w & 63;
}
