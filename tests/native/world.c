/* Looks at all of docs/world.md that a program can see, and prints it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

extern char **environ;

/* Flags of renameat2 (linux/fs.h). */
enum { NO_REPLACE = 1, EXCHANGE = 2 };

static void said(const char *what, long result) {
  int why = errno;
  if (result < 0)
    printf("%s: %s\n", what, strerror(why));
  else
    printf("%s: %ld\n", what, result);
}

static void show(const char *path, int follow) {
  struct stat s;
  if ((follow ? stat(path, &s) : lstat(path, &s)) < 0) {
    said(path, -1);
    return;
  }
  printf("%s: dev %lu ino %lu mode %o links %lu ids %u %u size %ld blocks %ld of %ld time %ld.%ld\n",
         path, s.st_dev, s.st_ino, s.st_mode, s.st_nlink, s.st_uid, s.st_gid, s.st_size,
         s.st_blocks, s.st_blksize, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

static void show_open(int fd) {
  struct stat s;
  if (fstat(fd, &s) < 0)
    said("fstat", -1);
  else
    printf("descriptor %d: ino %lu mode %o size %ld\n", fd, s.st_ino, s.st_mode, s.st_size);
}

static void where(void) {
  char name[PATH_MAX];
  puts(getcwd(name, sizeof name) ? name : strerror(errno));
}

static void list(const char *path) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  if (!directory) {
    said(path, -1);
    return;
  }
  while ((entry = readdir(directory)))
    printf("  %s %lu %d %ld\n", entry->d_name, entry->d_ino, entry->d_type, entry->d_off);
  rewinddir(directory);
  entry = readdir(directory);
  printf("  again %s\n", entry->d_name);
  closedir(directory);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) {
    said(path, -1);
    return;
  }
  fputs(text, file);
  fclose(file);
}

/* Names that are given, changed and taken away. */
static void names(void) {
  struct stat before, after;
  int fd;
  said("link", link("given", "second"));
  said("link", link("given", "b"));
  said("link", link("none", "third"));
  said("link", link("given", "third/"));
  said("link", link("/psychic", "third"));
  said("link", link("given", "/dev/null"));
  said("link", link("/dev/null", "b"));
  said("mkdir", mkdir("/dev/null", 0700));
  said("linkat", linkat(AT_FDCWD, "loop", AT_FDCWD, "third", 0));
  said("linkat", linkat(AT_FDCWD, "loop", AT_FDCWD, "fourth", AT_SYMLINK_FOLLOW));
  show("given", 1);
  show("second", 1);
  show("third", 0);
  said("rename to itself", rename("given", "second"));
  said("unlink", unlink("given"));
  show("second", 1);
  said("rename", rename("second", "given"));
  said("rename", rename("b", "given/"));
  said("rename", rename("b", "missing/"));
  said("rename", rename("b", "down/"));
  said("rename", rename("none", "missing"));
  said("rename", rename("b", "/dev/null"));
  said("rename", rename("b", "."));
  stat("b", &before);
  said("rename to itself", rename("b", "b"));
  stat("b", &after);
  said("same number", before.st_ino == after.st_ino);
  said("mkdir", mkdir("one", 0700));
  said("rename", rename("b", "one/"));
  said("rename", rename("b", "one"));
  said("mkdir", mkdir("one/two/", 0700));
  said("rename a directory", rename("one", "one/two/three"));
  said("rename a directory", rename("one/two", "one"));
  said("rename a directory", rename("one/two", "b"));
  said("rename a directory", rename("b", "one"));
  said("rename a directory", rename("one/two", "moved/"));
  said("chdir", chdir("moved"));
  where();
  show("../b", 1);
  said("rename where it is", rename("../moved", "../one/again"));
  where();
  said("rename over one", rename("../../sub", "../../moved"));
  said("rename a link", rename("/psychic/third", "here"));
  show("here", 0);
  said("unlink", unlink("here"));
  said("chdir", chdir("/psychic"));
  said("renameat2", syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "given", NO_REPLACE));
  said("renameat2", syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "given", EXCHANGE));
  said("renameat2", syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "c", NO_REPLACE));
  said("open", open("new/", O_CREAT | O_WRONLY, 0600));
  said("open", open("fresh/", O_CREAT | O_WRONLY, 0600));
  said("open", open("fresh/x/", O_CREAT | O_WRONLY, 0600));
  said("symlink", symlink("a", "new/"));
  said("symlink", symlink("a", "fresh/"));
  said("symlink", symlink("", "fresh"));
  said("symlink", symlink("", "given"));
  said("symlink", symlink("", "given/none"));
  fd = open("given", O_RDWR);
  said("lock", fcntl(fd, F_SETLK, &(struct flock){.l_type = F_WRLCK}));
  said("lock", fcntl(fd, F_GETLK, &(struct flock){.l_type = F_WRLCK}));
  close(fd);
  said("mkdir", mkdir("new/", 0700));
  list(".");
  said("utime", utime("c", NULL));
  said("utimes", utimes("none", NULL));
  said("futimesat", futimesat(AT_FDCWD, "c", NULL));
  said("utimensat", utimensat(AT_FDCWD, "loop", NULL, 0));
  said("utimensat", utimensat(AT_FDCWD, "loop", NULL, AT_SYMLINK_NOFOLLOW));
  fd = open("c", O_RDONLY);
  said("syncfs", syncfs(fd));
  said("flock", flock(fd, LOCK_EX));
  close(fd);
  said("syncfs", syncfs(fd));
  said("flock", flock(fd, LOCK_EX));
}

static void files(void) {
  char buffer[16];
  int fd;
  where();
  show_open(1);
  show_open(0);
  show_open(dup(1));
  show("given", 1);
  show(".", 1);
  show("/psychic/./given", 1);
  show("..", 1);
  show("/", 1);
  show("/etc/passwd", 1);
  show("/psychic/../given", 1);
  show("/dev/null", 1);
  write_file("b", "bb");
  said("mkdir", mkdir("sub", 0777));
  said("mkdir again", mkdir("sub", 0777));
  write_file("sub/Z", "");
  write_file("sub/a", "12345");
  said("symlink", symlink("../b", "sub/link"));
  said("symlink", symlink("/psychic/sub", "down"));
  said("symlink", symlink("loop", "loop"));
  show("sub/link", 1);
  show("sub/link", 0);
  show("down/a", 1);
  show("down/../../../b", 1);
  show("loop", 1);
  show("b/", 1);
  show("b/x", 1);
  show("", 1);
  list(".");
  list("down");
  said("chdir", chdir("down"));
  where();
  show("../given", 1);
  said("rmdir", rmdir("../sub"));
  said("unlink", unlink("a"));
  said("rename", rename("Z", "../new"));
  said("unlink", unlink("link"));
  said("rmdir", rmdir("/psychic/sub"));
  where();
  said("chdir", chdir("/psychic"));
  said("lseek", lseek(0, 0, SEEK_CUR));
  said("lseek", lseek(1, 0, SEEK_CUR));
  said("read", read(0, buffer, 6));
  said("read 1", read(1, buffer, 6));
  said("write 0", write(0, buffer, 1));
  said("ioctl", ioctl(1, TIOCGWINSZ, buffer));
  said("ioctl", ioctl(77, TIOCGWINSZ, buffer));
  fd = open("given", O_RDONLY);
  said("open", fd);
  said("flags", fcntl(fd, F_GETFL));
  said("flags", fcntl(1, F_GETFL));
  said("mmap", mmap(0, 10, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0);
  said("advice", posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
  said("advice", posix_fadvise(0, 0, 0, POSIX_FADV_SEQUENTIAL));
  said("chmod", chmod("given", 0640));
  said("chown", chown("given", 0, 0));
  said("chown", chown("given", 1000, -1));
  show("given", 1);
  said("access", access("given", X_OK));
  said("umask", umask(0));
  names();
}

static void system_calls(void) {
  struct utsname name;
  struct sysinfo info;
  struct statfs fs;
  struct timespec time_spec;
  struct timeval time_value;
  struct rlimit limit;
  unsigned char random[4];
  struct pollfd polled[] = {{0, POLLIN, 0}, {1, POLLOUT, 0}, {77, POLLIN, 0}};
  cpu_set_t processors;
  int ends[2];
  char through[16] = "", end[1];
  struct stat pipe_status;
  fd_set reading, other;
  sigset_t signals;
  char *pages;
  clock_gettime(CLOCK_MONOTONIC, &time_spec);
  printf("%ld.%09ld\n", time_spec.tv_sec, time_spec.tv_nsec);
  gettimeofday(&time_value, NULL);
  printf("%ld.%06ld\n", time_value.tv_sec, time_value.tv_usec);
  printf("%ld\n", (long)time(NULL));
  clock_gettime(CLOCK_REALTIME, &time_spec);
  printf("%ld.%09ld\n", time_spec.tv_sec, time_spec.tv_nsec);
  said("sleep", sleep(1000));
  said("alarm", alarm(1));
  uname(&name);
  printf("%s %s %s %s %s\n", name.sysname, name.nodename, name.release, name.version, name.machine);
  printf("%d %d %d %d %d %d %d\n", getpid(), getppid(), getpgrp(), getuid(), geteuid(), getgid(),
         getegid());
  printf("%u %u %u %u\n", random[0] = ((unsigned char *)getauxval(AT_RANDOM))[15],
         (unsigned)getrandom(random, 4, 0), random[0], random[3]);
  sysinfo(&info);
  printf("%ld %lu %lu %u\n", info.uptime, info.totalram, info.freeram, info.procs);
  statfs(".", &fs);
  printf("%lx %lu %lu\n", fs.f_type, fs.f_blocks, fs.f_bfree);
  getrlimit(RLIMIT_STACK, &limit);
  printf("%d\n", limit.rlim_cur == RLIM_INFINITY);
  sched_getaffinity(0, sizeof processors, &processors);
  printf("%d processor\n", CPU_COUNT(&processors));
  said("poll", poll(polled, 3, -1));
  printf("%d %d %d\n", polled[0].revents, polled[1].revents, polled[2].revents);
  said("pipe", pipe(ends));
  said("write", write(ends[1], "through", 7));
  said("read", read(ends[0], through, 4));
  said("read", read(ends[0], through + 4, 9));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  said("empty", read(ends[0], through, 1));
  said("seek", lseek(ends[0], 0, SEEK_CUR));
  said("close", close(ends[1]));
  said("end", read(ends[0], end, 1));
  printf("%s %o\n", through, (fstat(ends[0], &pipe_status), pipe_status.st_mode));
  FD_ZERO(&reading);
  FD_SET(0, &reading);
  FD_SET(ends[0], &reading);
  other = reading;
  said("select", select(ends[0] + 1, &reading, NULL, &other, NULL));
  printf("%d %d\n", FD_ISSET(0, &reading), FD_ISSET(0, &other));
  FD_SET(77, &reading);
  said("select", select(78, &reading, NULL, NULL, NULL));
  signal(SIGPIPE, SIG_IGN);
  said("pipe2", pipe2(ends, O_CLOEXEC));
  printf("%d\n", fcntl(ends[1], F_GETFD));
  close(ends[0]);
  said("broken", write(ends[1], "x", 1));
  said("truncate", truncate("given", 2));
  said("truncate", truncate("none", 2));
  show("given", 1);
  said("fork", fork());
  said("socket", socket(AF_INET, SOCK_STREAM, 0));
  said("kill", kill(1, SIGTERM));
  said("users", setreuid(-1, 1000));
  said("users", setreuid(0, -1));
  said("users", setresgid(1000, -1, 1000));
  said("users", setfsuid(0));
  said("processors", sched_getaffinity(1, sizeof processors, &processors));
  said("limits", prlimit(1, RLIMIT_CORE, NULL, NULL));
  pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(pages, "moved");
  pages = mremap(pages, 4096, 3 * 4096, MREMAP_MAYMOVE);
  printf("%s %d\n", pages, pages[3 * 4096 - 1]);
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  signal(SIGUSR2, SIG_IGN);
  said("mask", sigprocmask(SIG_BLOCK, &signals, NULL));
  said("raise", raise(SIGUSR2));
  sigpending(&signals);
  said("pending", sigismember(&signals, SIGUSR2));
  sigprocmask(SIG_SETMASK, NULL, &signals);
  said("blocked", sigismember(&signals, SIGUSR2));
  said("mask", sigprocmask(SIG_UNBLOCK, &signals, &signals));
  said("blocked", sigismember(&signals, SIGUSR2));
  printf("%s\n", environ[0] ? environ[0] : "no environment");
}

static void caught(int signal) { printf("signal %d\n", signal); }

int main(int argc, char **argv) {
  printf("%d %s\n", argc, argv[argc - 1]);
  files();
  system_calls();
  fflush(stdout);
  signal(SIGUSR1, caught);
  raise(SIGUSR1);
  fflush(stdout);
  abort();
}
