/* What surroundings.c leaves open, in a whole program, whose libc is a part of it. */
#define _GNU_SOURCE
#include "../kernel.h"
#include "../surroundings.h"

#include <signal.h>

/* Sends SIGABRT with the default action, and not blocked. `standard` is a struct sigaction of
 * the kernel. */
_Noreturn void psychic_abort(void) {
  static const long standard[4];
  long abort = 1L << (SIGABRT - 1);
  KERNEL4(SYS_rt_sigaction, SIGABRT, standard, 0, 8);
  KERNEL4(SYS_rt_sigprocmask, SIG_UNBLOCK, &abort, 0, 8);
  KERNEL2(SYS_tkill, KERNEL1(SYS_gettid, 0), SIGABRT);
  psychic_end(127);
}
