/* Inline assembly that C libraries and kernels use. */
#include <stdio.h>
static inline int barrier(int v) { __asm__ volatile("" : "+r"(v) : : "memory"); return v; }
static inline int hide(int v) { int r; __asm__("" : "=r"(r) : "0"(v)); return r; }
static inline void *forget(const void *p) { void *r; __asm__("# p is not const; nop\n\t# any more" : "=r"(r) : "0"(p)); return r; }
static inline void touch(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
static inline int cas(volatile int *p, int t, int s) { __asm__ __volatile__("lock ; cmpxchg %3, %1" : "=a"(t), "=m"(*p) : "a"(t), "r"(s) : "memory"); return t; }
static inline void *casp(volatile void *p, void *t, void *s) { __asm__("lock ; cmpxchg %3, %1" : "=a"(t), "=m"(*(void *volatile *)p) : "a"(t), "r"(s) : "memory"); return t; }
static inline int swap(volatile int *p, int v) { __asm__ __volatile__("xchg %0, %1" : "=r"(v), "=m"(*p) : "0"(v) : "memory"); return v; }
static inline int fetch_add(volatile int *p, int v) { __asm__ __volatile__("lock ; xadd %0, %1" : "=r"(v), "=m"(*p) : "0"(v) : "memory"); return v; }
static inline void and(volatile int *p, int v) { __asm__ __volatile__("lock ; and %1, %0" : "=m"(*p) : "r"(v) : "memory"); }
static inline void or(volatile int *p, int v) { __asm__ __volatile__("lock ; or %1, %0" : "=m"(*p) : "r"(v) : "memory"); }
static inline void or64(volatile long *p, long v) { __asm__ __volatile__("lock ; or %1, %0" : "=m"(*p) : "r"(v) : "memory"); }
static inline void inc(volatile int *p) { __asm__ __volatile__("lock ; incl %0" : "=m"(*p) : "m"(*p) : "memory"); }
static inline void dec(volatile int *p) { __asm__ __volatile__("lock ; decl %0" : "=m"(*p) : "m"(*p) : "memory"); }
static inline void store(volatile int *p, int x) { __asm__ __volatile__("mov %1, %0 ; lock ; orl $0,(%%rsp)" : "=m"(*p) : "r"(x) : "memory"); }
static inline void spin(void) { __asm__ __volatile__("pause" : : : "memory"); }
static inline int ctz(long x) { __asm__("bsf %1,%0" : "=r"(x) : "r"(x)); return (int)x; }
static inline int clz(long x) { __asm__("bsr %1,%0 ; xor $63,%0" : "=r"(x) : "r"(x)); return (int)x; }
static inline unsigned swap_bytes(unsigned v) { __asm__("bswap %0" : "+r"(v)); return v; }
int main(void) {
  int v = 5; volatile long w = 1; int *p = &v;
  touch(p); printf("%d %d %d\n", barrier(v), hide(v + 1), forget(p) == p); __asm__ volatile("mfence" ::: "memory"); __asm__ volatile("nop"); spin();
  __asm__ volatile("" : "=m"(v) : "m"(v)); __asm__ volatile("" : "+m"(v));
  printf("%d %d\n", cas(&v, 5, 9), v); printf("%d %d\n", cas(&v, 5, 1), v); void *q = &v; printf("%d %d\n", casp(&q, &v, NULL) == (void *)&v, q == NULL);
  printf("%d %d\n", swap(&v, 3), v); printf("%d %d\n", fetch_add(&v, 4), v); and(&v, 6); printf("%d\n", v); or(&v, 9); or64(&w, 1l << 40); printf("%d %ld\n", v, w); inc(&v); inc(&v); dec(&v); printf("%d\n", v);
  store(&v, 77); printf("%d\n", v); printf("%d %d %x\n", ctz(40), clz(40), swap_bytes(0x12345678)); return v;
}
