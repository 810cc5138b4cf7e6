/* Without a world between the program and the kernel: for programs that a build runs itself. */
#include "../surroundings.h"
#include "../kernel.h"

void _start_c(long *stack);

long psychic_syscall(long n, long a, long b, long c, long d, long e, long f) {
  return kernel(n, a, b, c, d, e, f);
}

void psychic_start(long *stack) {
  psychic_environment((char **)(stack + stack[0] + 2));
  _start_c(stack);
}
