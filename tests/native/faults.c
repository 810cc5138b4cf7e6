/* What every call makes of a null pointer, chosen by a byte of the first argument, and whether
   anything has happened all the same. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The libc would look at some pointers itself. */
#define CALL(...) told(syscall(__VA_ARGS__))
#define NONE ((void *)0)

static void told(long result) { printf("%ld %s\n", result, result < 0 ? strerror(errno) : ""); }

/* Where a file is, or what is left in a pipe. */
static void left(int fd) {
  char bytes[20] = "";
  told(syscall(SYS_read, (long)fd, bytes, 8L));
  puts(bytes);
}

static void call(char c, int file, int directory, int *ends) {
  static const char *const f = "f";
  char entries[500];
  long set[4] = {0};
  switch (c) {
  case 'A': CALL(SYS_stat, NONE, entries); CALL(SYS_stat, f, NONE); CALL(SYS_stat, "no", NONE); break;
  case 'B': CALL(SYS_lstat, NONE, entries); CALL(SYS_lstat, f, NONE); break;
  case 'C': CALL(SYS_fstat, (long)file, NONE); CALL(SYS_fstat, 99L, NONE); break;
  case 'D': CALL(SYS_newfstatat, (long)AT_FDCWD, NONE, entries, 0L); break;
  case 'E': CALL(SYS_newfstatat, 99L, f, NONE, 0L); CALL(SYS_newfstatat, (long)AT_FDCWD, f, NONE, 0L); break;
  case 'F': CALL(SYS_open, NONE, 0L, 0L); CALL(SYS_openat, (long)AT_FDCWD, NONE, (long)O_CREAT, 0L); break;
  case 'G': CALL(SYS_creat, NONE, 0L); CALL(SYS_truncate, NONE, 0L); break;
  case 'H': CALL(SYS_read, (long)file, NONE, 4L); left(file); break;
  case 'I': CALL(SYS_read, (long)ends[0], NONE, 4L); left(ends[0]); break;
  case 'J': CALL(SYS_read, (long)file, NONE, 0L); CALL(SYS_read, 99L, NONE, 4L); CALL(SYS_read, (long)directory, NONE, 4L); break;
  case 'K': CALL(SYS_lseek, (long)file, 0L, (long)SEEK_END); CALL(SYS_read, (long)file, NONE, 4L); break;
  case 'L': CALL(SYS_pread64, (long)file, NONE, 4L, 1L); CALL(SYS_pread64, (long)file, NONE, 4L, 900L); break;
  case 'M': CALL(SYS_write, (long)file, NONE, 4L); CALL(SYS_write, (long)file, NONE, 0L); left(file); break;
  case 'N': CALL(SYS_write, (long)ends[1], NONE, 4L); left(ends[0]); break;
  case 'O': CALL(SYS_write, (long)open("/dev/null", O_WRONLY), NONE, 4L); break;
  case 'P': CALL(SYS_pwrite64, (long)file, NONE, 4L, 2L); left(file); break;
  case 'Q': CALL(SYS_readv, (long)file, NONE, 1L); CALL(SYS_writev, (long)file, NONE, 1L); left(file); break;
  case 'R': CALL(SYS_access, NONE, 0L); CALL(SYS_faccessat, (long)AT_FDCWD, NONE, 0L); CALL(SYS_faccessat2, (long)AT_FDCWD, NONE, 0L, 0L); break;
  case 'S': CALL(SYS_mkdir, NONE, 0755L); CALL(SYS_mkdirat, (long)AT_FDCWD, NONE, 0755L); CALL(SYS_rmdir, NONE); break;
  case 'T': CALL(SYS_unlink, NONE); CALL(SYS_unlinkat, (long)AT_FDCWD, NONE, 0L); CALL(SYS_unlinkat, (long)AT_FDCWD, NONE, 1L); break;
  case 'U': CALL(SYS_rename, NONE, f); CALL(SYS_rename, f, NONE); CALL(SYS_rename, "no", NONE); break;
  case 'V': CALL(SYS_link, NONE, "new"); CALL(SYS_link, f, NONE); break;
  case 'W': CALL(SYS_symlink, NONE, "new"); CALL(SYS_symlink, f, NONE); CALL(SYS_symlink, "", NONE); break;
  case 'X': CALL(SYS_readlink, NONE, entries, 8L); CALL(SYS_readlink, "link", NONE, 8L); CALL(SYS_readlink, f, NONE, 8L); CALL(SYS_readlink, "link", NONE, 0L); break;
  case 'Y': CALL(SYS_chmod, NONE, 0600L); CALL(SYS_fchmodat, (long)AT_FDCWD, NONE, 0600L); CALL(SYS_chdir, NONE); break;
  case 'Z': CALL(SYS_chown, NONE, -1L, -1L); CALL(SYS_lchown, NONE, -1L, -1L); CALL(SYS_fchownat, (long)AT_FDCWD, NONE, -1L, -1L, 0L); break;
  case 'a': CALL(SYS_getcwd, NONE, 400L); CALL(SYS_getcwd, NONE, 1L); break;
  case 'b': CALL(SYS_getdents64, (long)directory, NONE, 400L); CALL(SYS_getdents64, (long)file, NONE, 400L);
    told(syscall(SYS_getdents64, (long)directory, entries, 400L) > 0); break;
  case 'c': CALL(SYS_pipe, NONE); CALL(SYS_pipe2, NONE, 0L); CALL(SYS_pipe2, NONE, -1L); told(dup(0)); break;
  case 'd': CALL(SYS_uname, NONE); CALL(SYS_sysinfo, NONE); break;
  case 'e': CALL(SYS_getrusage, 0L, NONE); CALL(SYS_getrlimit, 3L, NONE); CALL(SYS_prlimit64, 0L, 3L, NONE, NONE); break;
  case 'f': CALL(SYS_getresuid, NONE, set, set + 1); CALL(SYS_getresgid, set, set + 1, NONE); break;
  case 'g': CALL(SYS_getrandom, NONE, 4L, 0L); CALL(SYS_getrandom, NONE, 0L, 0L); break;
  case 'h': CALL(SYS_clock_gettime, 1L, NONE); CALL(SYS_clock_getres, 1L, NONE); break;
  case 'i': CALL(SYS_gettimeofday, NONE, NONE); CALL(SYS_getitimer, 0L, NONE); break;
  case 'j': CALL(SYS_sched_getaffinity, 0L, 8L, NONE); break;
  case 'k': CALL(SYS_statfs, NONE, entries); CALL(SYS_statfs, f, NONE); CALL(SYS_fstatfs, (long)file, NONE); CALL(SYS_statfs, "no", NONE); break;
  case 'l': CALL(SYS_poll, NONE, 1L, 0L); CALL(SYS_poll, NONE, 0L, 0L); break;
  case 'm': CALL(SYS_utime, NONE, NONE); CALL(SYS_utimensat, (long)file, NONE, NONE, 0L); break;
  case 'n': CALL(SYS_rt_sigaction, (long)SIGUSR1, NONE, NONE, 8L); CALL(SYS_rt_sigprocmask, 0L, NONE, NONE, 8L); break;
  case 'o': CALL(SYS_statfs, f, NONE); CALL(SYS_rt_sigpending, NONE, 8L); break;
  default: _exit(2);
  }
}

int main(int argc, char **argv) {
  int ends[2], file = open("f", O_CREAT | O_RDWR, 0644), directory = open(".", O_RDONLY);
  told(write(file, "some text", 9));
  lseek(file, 0, SEEK_SET);
  symlink("f", "link");
  pipe(ends);
  told(write(ends[1], "in a pipe", 9));
  call(argv[1][0], file, directory, ends);
  return 0;
}
