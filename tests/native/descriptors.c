/* What one call makes of one descriptor, each chosen by a byte of the first argument: of the
   streams, of files opened in every way, of pipes, and of what is not open. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DESCRIPTORS = 22 };
static int fds[DESCRIPTORS] = {0, 1, 2, 3, -1, 239, 240, 1 << 30};

static int made(const char *path, int flags) {
  int fd = open(path, flags, 0644);
  if (fd < 0)
    perror(path);
  return fd;
}

static void set_up(void) {
  int ends[2], full[2], i = 8;
  int fd = made("f", O_CREAT | O_WRONLY);
  if (write(fd, "twelve bytes", 12) != 12)
    perror("write");
  close(fd);
  mkdir("d", 0755);
  symlink("f", "l");
  /* Not 3. */
  close(dup2(0, 30));
  dup2(made("f", O_RDONLY), 40);
  close(3);
  fds[i++] = 40;
  fds[i++] = fcntl(made("f", O_WRONLY), F_DUPFD, 50);
  fds[i++] = fcntl(3, F_DUPFD_CLOEXEC, 50);
  close(3);
  fds[i++] = fcntl(made("f", O_RDWR | O_APPEND | O_NONBLOCK), F_DUPFD, 60);
  close(3);
  fds[i++] = fcntl(made("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC), F_DUPFD, 70);
  close(3);
  fds[i++] = fcntl(made("/dev/null", O_RDWR), F_DUPFD, 80);
  close(3);
  fds[i++] = fcntl(made("f", O_PATH), F_DUPFD, 90);
  close(3);
  fds[i++] = fcntl(made("l", O_PATH | O_NOFOLLOW), F_DUPFD, 100);
  close(3);
  fd = made("gone", O_CREAT | O_RDWR);
  fds[i++] = fcntl(fd, F_DUPFD, 110);
  unlink("gone");
  close(3);
  pipe(ends);
  fds[i++] = fcntl(ends[1], F_DUPFD, 120);
  write(ends[1], "in a pipe", 9);
  fds[i++] = fcntl(ends[0], F_DUPFD, 130);
  close(ends[0]);
  close(ends[1]);
  pipe2(full, O_NONBLOCK | O_CLOEXEC);
  fds[i++] = fcntl(full[0], F_DUPFD, 140);
  close(full[0]);
  close(full[1]);
  fds[i++] = dup2(0, 200);
  fds[i++] = dup2(1, 201);
}

static void told(const char *what, long result) {
  printf("%s %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
}

static int chosen(char c) {
  for (volatile int i = 0; i < DESCRIPTORS; i++)
    if (c == '0' + i)
      return fds[i];
  _exit(2);
}

static void status(int fd) {
  struct stat s;
  long result = fstat(fd, &s);
  told("fstat", result);
  if (result == 0)
    printf("mode %o size %ld number %ld\n", s.st_mode, (long)s.st_size, (long)s.st_ino);
}

static void after(int fd) {
  char bytes[20] = "";
  told("where", lseek(fd, 0, SEEK_CUR));
  status(fd);
  told("flags", fcntl(fd, F_GETFL));
  lseek(fd, 0, SEEK_SET);
  told("bytes", pread(fd, bytes, sizeof bytes, 0));
  for (int i = 0; i < 20; i++)
    putchar(bytes[i] ? bytes[i] : '.');
  putchar('\n');
}

static void polled(int fd, int events) {
  struct pollfd p = {fd, events, 0};
  told("poll", poll(&p, 1, -1));
  printf("events %x\n", p.revents);
}

static void selected(int fd) {
  fd_set in, out;
  struct timeval now = {0};
  FD_ZERO(&in);
  FD_ZERO(&out);
  if (fd >= 0 && fd < FD_SETSIZE) {
    FD_SET(fd, &in);
    FD_SET(fd, &out);
  }
  told("select", select(fd < FD_SETSIZE ? fd + 1 : 0, &in, &out, NULL, &now));
}

static void call(char c, int fd) {
  char bytes[8] = "ABCDEFG", entries[300];
  struct iovec parts[2] = {{bytes, 3}, {bytes + 3, 4}};
  struct statfs fs;
  struct flock lock = {0};
  struct timespec times[2] = {{0}};
  int other;
  switch (c) {
  case 'A': told("read", read(fd, bytes, 7)); puts(bytes); break;
  case 'B': told("read", read(fd, bytes, 0)); break;
  case 'C': told("readv", readv(fd, parts, 2)); puts(bytes); break;
  case 'D': told("write", write(fd, bytes, 7)); break;
  case 'E': told("write", write(fd, bytes, 0)); break;
  case 'F': told("writev", writev(fd, parts, 2)); break;
  case 'G': told("pread", pread(fd, bytes, 7, 3)); puts(bytes); break;
  case 'H': told("pwrite", pwrite(fd, bytes, 7, 20)); break;
  case 'I': told("pread", pread(fd, bytes, 7, -1)); break;
  case 'J': told("pwrite", pwrite(fd, bytes, 7, -1)); break;
  case 'K': told("lseek", lseek(fd, 5, SEEK_SET)); break;
  case 'L': told("lseek", lseek(fd, -5, SEEK_CUR)); break;
  case 'M': told("lseek", lseek(fd, 5, SEEK_END)); told("write", write(fd, bytes, 1)); break;
  case 'N': told("lseek", lseek(fd, -13, SEEK_END)); break;
  case 'O': told("lseek", lseek(fd, 0, 9)); break;
  case 'P': status(fd); break;
  case 'Q': told("ftruncate", ftruncate(fd, 3)); break;
  case 'R': told("ftruncate", ftruncate(fd, -1)); break;
  case 'S': told("ftruncate", ftruncate(fd, 15)); break;
  case 'T': told("fsync", fsync(fd)); told("fdatasync", fdatasync(fd)); break;
  case 'U': told("fchmod", syscall(SYS_fchmod, (long)fd, 0600L)); break;
  case 'V': told("fchown", syscall(SYS_fchown, (long)fd, -1L, -1L)); break;
  case 'W': told("fchown", syscall(SYS_fchown, (long)fd, 0L, -1L)); break;
  case 'X': told("fchdir", syscall(SYS_fchdir, (long)fd)); told("f", access("f", F_OK)); break;
  case 'Y': told("getdents", syscall(SYS_getdents64, (long)fd, entries, (long)sizeof entries)); break;
  case 'Z': told("getdents", syscall(SYS_getdents64, (long)fd, entries, 3L)); break;
  case 'a': told("dup", other = dup(fd)); told("read", read(other, bytes, 2)); break;
  case 'b': told("dup2", dup2(fd, 3)); told("write", write(3, bytes, 2)); break;
  case 'c': told("dup2", dup2(fd, fd)); break;
  case 'd': told("dup2", dup2(fd, -1)); told("dup2", dup2(fd, 240)); break;
  case 'e': told("dup2", dup2(fd, 1)); break;
  case 'f': told("dup3", dup3(fd, 5, O_CLOEXEC)); told("flags", fcntl(5, F_GETFD)); break;
  case 'g': told("dup3", dup3(fd, fd, 0)); told("dup3", dup3(fd, 5, 1)); break;
  case 'h': told("F_DUPFD", fcntl(fd, F_DUPFD, 30)); break;
  case 'i': told("F_DUPFD", fcntl(fd, F_DUPFD, 240)); told("F_DUPFD", fcntl(fd, F_DUPFD, -1)); break;
  case 'j': told("F_DUPFD_CLOEXEC", fcntl(fd, F_DUPFD_CLOEXEC, 239)); break;
  case 'k': told("F_GETFD", fcntl(fd, F_GETFD)); break;
  case 'l': told("F_SETFD", fcntl(fd, F_SETFD, FD_CLOEXEC)); told("fd", fcntl(fd, F_GETFD)); break;
  case 'm': told("F_SETFL", fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK)); break;
  case 'n': told("F_SETLK", fcntl(fd, F_SETLK, &lock)); told("F_GETLK", fcntl(fd, F_GETLK, &lock)); break;
  case 'o': told("fcntl", fcntl(fd, 77, 0)); break;
  case 'p': told("ioctl", ioctl(fd, TIOCGWINSZ, entries)); told("terminal", isatty(fd)); break;
  case 'q': polled(fd, POLLIN); break;
  case 'r': polled(fd, POLLOUT | POLLPRI); break;
  case 's': selected(fd); break;
  case 't': told("close", close(fd)); told("close", close(fd)); break;
  case 'u': told("flock", flock(fd, LOCK_EX)); told("syncfs", syncfs(fd)); break;
  case 'v': told("fadvise", syscall(SYS_fadvise64, (long)fd, 0L, 0L, 0L)); break;
  case 'w': told("mmap", syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_PRIVATE, (long)fd, 0L)); break;
  case 'x': told("fstatfs", fstatfs(fd, &fs)); break;
  case 'y': told("utimensat", syscall(SYS_utimensat, (long)fd, NULL, times, 0L)); break;
  case 'z': told("openat", openat(fd, "x", O_CREAT | O_WRONLY, 0644)); break;
  case '0': told("fstatat", fstatat(fd, "", (struct stat *)entries, AT_EMPTY_PATH)); break;
  case '1': told("unlinkat", unlinkat(fd, "../f", 0)); break;
  case '2': told("copy", syscall(SYS_copy_file_range, (long)fd, NULL, (long)fd, NULL, 2L, 0L)); break;
  case '3': told("empty", openat(fd, "", O_RDONLY)); break;
  default: _exit(2);
  }
}

int main(int argc, char **argv) {
  set_up();
  int fd = chosen(argv[1][0]);
  call(argv[1][1], fd);
  after(fd);
  return 0;
}
