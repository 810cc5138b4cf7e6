/* Serves many runs of one program: it is started once, up to its first constructor, and each run is
 * a fork of that process (the fork server of AFL, Zalewski 2014). A run sees what a process of its
 * own would have seen: nothing of the program has run before.
 *
 * Standard input of the server is a socket. For each number of a revision that it receives, it
 * forks, answers with the number of the process, and, when that ends, with its wait status. Each of
 * these is an `int` in the machine's format. The server ends when the socket does. The standard
 * input of a run is the file named by PSYCHIC_SERVE.
 *
 * A run is one process. If it wants another one, or a thread, it is killed by SIGSYS. Whoever asked
 * for the run then starts the program as usual, where everything that it started can be found and
 * killed.
 */
#include "kernel.h"
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)
#define KILL_IF(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), END(SECCOMP_RET_KILL_PROCESS)

/* Makes the process stay the only one; returns 0 if it cannot. */
static int stays_alone(void) {
  struct sock_filter filter[] = {
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0), END(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr), KILL_IF(SYS_clone), KILL_IF(SYS_clone3),
#ifdef SYS_fork
    KILL_IF(SYS_fork), KILL_IF(SYS_vfork),
    /* The x32 interface has other numbers for the same calls. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), END(SECCOMP_RET_KILL_PROCESS),
#endif
    END(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
  return KERNEL3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
static int stays_alone(void) { return 0; }
#endif

/* Like fork, but without what libraries do before and after: the sanitizers lock tables of many
 * MiB, which no other thread uses. The C library has it since glibc 2.34. */
extern pid_t _Fork(void) __attribute__((weak));

/* Gives a run what a process of its own has: standard input and a process group. */
static int begins(const char *input) {
  return KERNEL1(SYS_close, 0) == 0 && KERNEL3(SYS_open, input, O_RDONLY, 0) == 0 &&
         KERNEL2(SYS_setpgid, 0, 0) == 0 && KERNEL2(SYS_prctl, PR_SET_DUMPABLE, 1) == 0 &&
         KERNEL2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL) == 0 && stays_alone();
}

void psychic_serve(void) {
  const char *input = psychic_setting("PSYCHIC_SERVE");
  int revision = 0;
  if (!input)
    return;
  /* Runs have the same user: they must not get at the server's memory or descriptors. */
  KERNEL2(SYS_prctl, PR_SET_DUMPABLE, 0);
  KERNEL2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  while (KERNEL3(SYS_read, 0, &revision, sizeof revision) == sizeof revision) {
    int status = 0;
    pid_t run = _Fork ? _Fork() : fork();
    if (run == 0) {
      if (!begins(input))
        KERNEL2(SYS_kill, KERNEL1(SYS_getpid, 0), SIGSYS);
      psychic_run_revision(revision);
      return;
    }
    if (run < 0 || KERNEL3(SYS_write, 0, &run, sizeof run) != sizeof run)
      break;
    while (KERNEL4(SYS_wait4, run, &status, 0, NULL) == -EINTR)
      ;
    if (KERNEL3(SYS_write, 0, &status, sizeof status) != sizeof status)
      break;
  }
  psychic_end(0);
}
