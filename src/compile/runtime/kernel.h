/* System calls as the kernel answers them. */
#ifndef KERNEL_H
#define KERNEL_H

#include <sys/syscall.h>

static inline long kernel(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#define KERNEL1(n, a) kernel(n, (long)(a), 0, 0, 0, 0, 0)
#define KERNEL2(n, a, b) kernel(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define KERNEL3(n, a, b, c) kernel(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define KERNEL4(n, a, b, c, d) kernel(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
