/* The one door between a program and the kernel; docs/world.md says what comes through it. */
#include "world.h"

#include <elf.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

void _start_c(long *stack);

static unsigned long clock_calls, random_bytes;

static void fill_random(unsigned char *bytes, unsigned long size) {
  while (size--)
    *bytes++ = (unsigned char)(random_bytes++ & 255);
}

/* Every look at any clock is a microsecond later than the one before. */
static struct timespec now(void) {
  unsigned long nanoseconds = 1000 * clock_calls++;
  return (struct timespec){world_start + (long)(nanoseconds / 1000000000),
                           (long)(nanoseconds % 1000000000)};
}

static long host(struct utsname *name) {
  memset(name, 0, sizeof *name);
  strcpy(name->sysname, "Linux");
  strcpy(name->nodename, "psychic");
  strcpy(name->release, "6.1.0");
  strcpy(name->version, "#1");
  strcpy(name->machine, "x86_64");
  strcpy(name->domainname, "(none)");
  return 0;
}

static long memory_and_load(struct sysinfo *info) {
  memset(info, 0, 112);
  info->uptime = 1;
  info->totalram = 1UL << 30;
  info->freeram = 1UL << 29;
  info->procs = 1;
  info->mem_unit = 1;
  return 0;
}

static long file_system(struct statfs *status) {
  *status = (struct statfs){.f_type = 0x01021994,
                            .f_bsize = 4096,
                            .f_blocks = 1 << 18,
                            .f_bfree = 1 << 17,
                            .f_bavail = 1 << 17,
                            .f_files = 1 << 16,
                            .f_ffree = 1 << 15,
                            .f_namelen = 255,
                            .f_frsize = 4096};
  return 0;
}

static long poll_all(struct pollfd *files, unsigned long count) {
  long ready = 0;
  if (count && world_leads_nowhere(files))
    return -EFAULT;
  for (; count; count--, files++) {
    files->revents = 0;
    if (files->fd < 0)
      continue;
    files->revents =
        world_can_use(files->fd) ? files->events & (POLLIN | POLLOUT) : POLLNVAL;
    ready += files->revents != 0;
  }
  return ready;
}

static int is_bad_set(const fd_set *set) { return set && world_leads_nowhere(set); }

static long select_all(long count, fd_set *reading, fd_set *writing, fd_set *other) {
  long ready = 0, fd;
  if (count > FD_SETSIZE)
    count = FD_SETSIZE;
  if (count > 0 && (is_bad_set(reading) || is_bad_set(writing) || is_bad_set(other)))
    return -EFAULT;
  for (fd = 0; fd < count; fd++) {
    int wanted = (reading && FD_ISSET(fd, reading)) + (writing && FD_ISSET(fd, writing));
    if ((wanted || (other && FD_ISSET(fd, other))) && !world_can_use(fd))
      return -EBADF;
    ready += wanted;
  }
  for (fd = 0; other && fd < count; fd++)
    FD_CLR(fd, other);
  return ready;
}

/* Sends a signal to the program itself: there is no other process. */
static long send_signal(long process, long signal) {
  if (process != PROCESS && process != 0 && process != -PROCESS)
    return -ESRCH;
  if (signal == 0)
    return 0;
  return KERNEL3(SYS_tgkill, KERNEL1(SYS_getpid, 0), KERNEL1(SYS_gettid, 0), signal);
}

static long affinity(unsigned long size, unsigned char *mask) {
  if (size < 8 || size % 8)
    return -EINVAL;
  memset(mask, 0, 8);
  mask[0] = 1;
  return 8;
}

static long to_itself(int is_itself) { return is_itself ? 0 : -EPERM; }

static int is_user(long id) { return (int)id == -1 || id == USER; }

/* Answers calls about who and where the program is, and what it may use. */
static int process_call(long *result, long n, long a, long b, long c, long d) {
  switch (n) {
  case SYS_getpid: case SYS_gettid: case SYS_set_tid_address: case SYS_getpgrp:
    *result = PROCESS;
    break;
  case SYS_getppid:
    *result = 1;
    break;
  case SYS_getpgid: case SYS_getsid:
    *result = a == 0 || a == PROCESS ? PROCESS : -ESRCH;
    break;
  case SYS_getuid: case SYS_geteuid: case SYS_getgid: case SYS_getegid:
    *result = USER;
    break;
  case SYS_getresuid: case SYS_getresgid:
    *(int *)a = *(int *)b = *(int *)c = USER;
    *result = 0;
    break;
  case SYS_getgroups:
    *result = 0;
    break;
  case SYS_setuid: case SYS_setgid: case SYS_setfsuid: case SYS_setfsgid:
    *result = to_itself(is_user(a));
    break;
  case SYS_setreuid: case SYS_setregid:
    *result = to_itself(is_user(a) && is_user(b));
    break;
  case SYS_setresuid: case SYS_setresgid:
    *result = to_itself(is_user(a) && is_user(b) && is_user(c));
    break;
  case SYS_setgroups: case SYS_setpgid: case SYS_setsid:
    *result = -EPERM;
    break;
  case SYS_umask:
    *result = KERNEL1(n, a);
    break;
  case SYS_getpriority:
    *result = 20;
    break;
  case SYS_prlimit64:
    if (a != 0 && a != PROCESS) {
      *result = -ESRCH;
      break;
    }
    b = d;
    /* fall through */
  case SYS_getrlimit:
    if (b)
      memset((void *)b, 0xff, sizeof(struct rlimit));
    *result = 0;
    break;
  case SYS_setrlimit: case SYS_sched_yield: case SYS_set_robust_list:
    *result = 0;
    break;
  case SYS_sched_getaffinity:
    *result = a == 0 || a == PROCESS ? affinity((unsigned long)b, (unsigned char *)c) : -ESRCH;
    break;
  case SYS_getrusage:
    memset((void *)b, 0, sizeof(struct rusage) - 16 * sizeof(long));
    *result = 0;
    break;
  case SYS_times:
    if (a)
      memset((void *)a, 0, sizeof(struct tms));
    *result = 0;
    break;
  case SYS_uname:
    *result = host((struct utsname *)a);
    break;
  case SYS_sysinfo:
    *result = memory_and_load((struct sysinfo *)a);
    break;
  case SYS_getrandom:
    fill_random((unsigned char *)a, (unsigned long)b);
    *result = b;
    break;
  default:
    return 0;
  }
  return 1;
}

/* Answers calls about clocks, waiting and signals. */
static int time_call(long *result, long n, long a, long b, long c, long d) {
  struct timespec time;
  *result = 0;
  switch (n) {
  case SYS_clock_gettime:
    *(struct timespec *)b = now();
    break;
  case SYS_gettimeofday:
    time = now();
    if (a)
      *(struct timeval *)a = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    break;
  case SYS_time:
    *result = now().tv_sec;
    if (a)
      *(long *)a = *result;
    break;
  case SYS_clock_getres:
    if (b)
      *(struct timespec *)b = (struct timespec){0, 1};
    break;
  case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_alarm:
    break;
  case SYS_getitimer:
    memset((void *)b, 0, sizeof(struct itimerval));
    break;
  case SYS_setitimer:
    if (c)
      memset((void *)c, 0, sizeof(struct itimerval));
    break;
  case SYS_poll: case SYS_ppoll:
    *result = poll_all((struct pollfd *)a, (unsigned long)b);
    break;
  case SYS_select: case SYS_pselect6:
    *result = select_all(a, (fd_set *)b, (fd_set *)c, (fd_set *)d);
    break;
  case SYS_kill:
    *result = send_signal((int)a, b);
    break;
  case SYS_tkill:
    *result = (int)a == PROCESS ? send_signal(PROCESS, b) : -ESRCH;
    break;
  case SYS_tgkill:
    *result = (int)a == PROCESS && (int)b == PROCESS ? send_signal(PROCESS, c) : -ESRCH;
    break;
  default:
    return 0;
  }
  return 1;
}

/* Whether a call may be passed on to the kernel as it is. */
static int is_plain(long n, long flags) {
  switch (n) {
  case SYS_mmap:
    return (flags & MAP_ANONYMOUS) != 0;
  case SYS_munmap: case SYS_mprotect: case SYS_madvise: case SYS_mremap:
  case SYS_rt_sigaction: case SYS_rt_sigprocmask: case SYS_rt_sigpending: case SYS_sigaltstack:
  case SYS_exit: case SYS_exit_group:
    return 1;
  default:
    return 0;
  }
}

static long answer(long n, long a, long b, long c, long d, long e, long f) {
  long result = -ENOSYS;
  struct stat status;
  if (world_descriptor_call(&result, n, a, b, c, d) ||
      world_path_call(&result, n, a, b, c, d, e) || process_call(&result, n, a, b, c, d) ||
      time_call(&result, n, a, b, c, d))
    return result;
  switch (n) {
  case SYS_mmap:
    return is_plain(n, d) ? kernel(n, a, b, c, d, e, f)
                          : world_can_use((int)e) ? -ENODEV : -EBADF;
  case SYS_brk:
    return 0;
  case SYS_pipe:
    return world_pipe((int *)a, 0);
  case SYS_pipe2:
    return world_pipe((int *)a, (int)b);
  case SYS_sync:
    return 0;
  case SYS_fstatfs:
    return world_is_open((int)a) ? file_system((struct statfs *)b) : -EBADF;
  case SYS_statfs:
    result = 0;
    world_path_call(&result, SYS_stat, a, (long)&status, 0, 0, 0);
    return result < 0 ? result : file_system((struct statfs *)b);
  default:
    return is_plain(n, 0) ? kernel(n, a, b, c, d, e, f) : -ENOSYS;
  }
}

/* Answers a call that would write through a pointer that leads nowhere. Any other error comes
 * first, as in the kernel; otherwise it fails with EFAULT, and nothing has happened. */
static long fault(long n, const long of[4], long e, long f) {
  unsigned long clock = clock_calls, random = random_bytes;
  int is_list = n == SYS_getdents64 && world_is_open((int)of[0]);
  size_t listed = is_list ? world_listed((int)of[0]) : 0;
  long result = answer(n, of[0], of[1], of[2], of[3], e, f);
  clock_calls = clock;
  random_bytes = random;
  if (is_list)
    world_list_from((int)of[0], listed);
  /* At the end of a directory nothing is written. */
  if (result < 0 || (n == SYS_getdents64 && result == 0))
    return result;
  if (n == SYS_pipe || n == SYS_pipe2) {
    const int *ends = (const int *)of[0];
    answer(SYS_close, ends[0], 0, 0, 0, 0, 0);
    answer(SYS_close, ends[1], 0, 0, 0, 0, 0);
  }
  return -EFAULT;
}

long psychic_syscall(long n, long a, long b, long c, long d, long e, long f) {
  long arguments[4] = {a, b, c, d};
  return world_writes_nowhere(n, arguments) ? fault(n, arguments, e, f)
                                            : answer(n, a, b, c, d, e, f);
}

/* Sets every signal to its default action, not blocked, whoever started the program. */
static void default_signals(void) {
  static const struct { unsigned long handler, flags, restorer, mask; } by_default = {0};
  static const unsigned long none = 0;
  long signal;
  for (signal = 1; signal <= 64; signal++)
    KERNEL4(SYS_rt_sigaction, signal, &by_default, NULL, sizeof none);
  KERNEL4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
}

/* The entry point of the process. The program sees its arguments and its own variables. */
void psychic_start(long *kernel_stack) {
  static unsigned char random[16];
  long count = kernel_stack[0], i, *end, *stack;
  static const long vector[][2] = {
      {AT_PAGESZ, 4096}, {AT_UID, USER},  {AT_EUID, USER}, {AT_GID, USER},
      {AT_EGID, USER},   {AT_SECURE, 0},  {AT_PHNUM, 0},
  };

  psychic_environment((char **)(kernel_stack + count + 2));
  stack = psychic_memory(((size_t)count + psychic_variables(NULL) + 32) * sizeof *stack);
  memcpy(stack, kernel_stack, ((size_t)count + 2) * sizeof *stack);
  end = stack + count + 2;
  end += psychic_variables((char **)end);
  *end++ = 0;
  for (i = 0; i < (long)(sizeof vector / sizeof *vector); i++) {
    *end++ = vector[i][0];
    *end++ = vector[i][1];
  }
  fill_random(random, sizeof random);
  *end++ = AT_RANDOM;
  *end++ = (long)random;
  *end++ = AT_NULL;
  *end++ = 0;
  KERNEL1(SYS_umask, 022);
  default_signals();
  world_times();
  _start_c(stack);
}
