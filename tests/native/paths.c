/* What one call makes of one or two paths, each chosen by a byte of the first argument: of files
   of every kind, of directories that lack permissions, in a directory that is no more. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A flag of renameat2 (linux/fs.h). */
enum { NO_REPLACE = 1 };

/* A name of 256 bytes, and a path with as many links as may be. */
#define LONG8 "longlong"
#define LONG64 LONG8 LONG8 LONG8 LONG8 LONG8 LONG8 LONG8 LONG8
#define LONG LONG64 LONG64 LONG64 LONG64
#define LINKS10 "ld/../ld/../ld/../ld/../ld/../ld/../ld/../ld/../ld/../ld/../"
#define LINKS40 LINKS10 LINKS10 LINKS10 LINKS10

/* The first PAIRED are second paths, too. */
enum { PAIRED = 24 };
static const char *const paths[] = {
    "f", "f/", "x", "d", "d/.", "d/..", "d/f", "e", "e/", "l", "l/", "ld", "ld/", "no", "no/",
    "new", "new/", "locked/f", "sealed/f", "sealed/s", "/psychic", "/dev/null", "sealed",
    "d/new", "", ".", "..", "f/.", "f/x", "d/", "ld/f", "no/x", "self", "self/", "new/x", "locked",
    "locked/.", "locked/..", "locked/new", "sealed/new", "hidden", "hidden/f", "hidden/new",
    "hidden/.", "/psychic/", "/psychic/f", "/psychic/../f", "/", "//psychic//f", "/dev/null/",
    "/dev//null", "/dev/null/x", "/dev", "/dev/nul", "/psychicx", "/psychic/no", "ld/../l",
    LONG, "no/" LONG, "f/" LONG, "d/" LONG "/x", LINKS40 "f", LINKS40 "l"};
enum { PATHS = sizeof paths / sizeof *paths };

static void expect(long result) {
  if (result < 0)
    perror("set-up");
}

static void make(const char *path, const char *text, mode_t mode) {
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  expect(write(fd, text, strlen(text)));
  expect(fchmod(fd, mode));
  expect(close(fd));
}

static void set_up(void) {
  umask(022);
  make("f", "text", 06755);
  make("x", "none", 0);
  expect(mkdir("d", 02755));
  expect(chmod("d", 02755));
  make("d/f", "", 0644);
  expect(mkdir("e", 0777));
  expect(symlink("f", "l"));
  expect(symlink("d", "ld"));
  expect(symlink("missing", "no"));
  expect(symlink("self", "self"));
  expect(mkdir("locked", 0700));
  make("locked/f", "in", 0600);
  expect(chmod("locked", 0600));
  expect(mkdir("sealed", 0700));
  expect(mkdir("sealed/s", 0700));
  make("sealed/f", "in", 0600);
  expect(chmod("sealed", 0500));
  expect(mkdir("hidden", 0700));
  make("hidden/f", "in", 0600);
  expect(chmod("hidden", 0300));
}

static long opened(const char *path, int flags) {
  int fd = open(path, flags, 07666);
  if (fd < 0)
    return fd;
  if ((flags & O_ACCMODE) != O_RDONLY)
    expect(write(fd, "!", 1));
  return close(fd);
}

/* What a descriptor is good for that only says where a file is. */
static long located(const char *path, int flags) {
  struct stat s;
  struct flock lock = {0};
  char byte;
  int fd = open(path, O_PATH | O_TRUNC | flags), other;
  if (fd < 0)
    return fd;
  printf("flags %o\n", fcntl(fd, F_GETFL));
  if (fstat(fd, &s) == 0)
    printf("mode %o\n", s.st_mode);
  if (read(fd, &byte, 1) < 0)
    perror("read");
  if (lseek(fd, 0, SEEK_SET) < 0)
    perror("lseek");
  if (fchmod(fd, 0700) < 0)
    perror("fchmod");
  if (fsync(fd) < 0)
    perror("fsync");
  if (fcntl(fd, F_SETLK, &lock) < 0)
    perror("lock");
  if ((other = openat(fd, "f", O_RDONLY)) < 0)
    perror("openat");
  if (fchdir(fd) < 0)
    perror("fchdir");
  return dup(fd);
}

static long listed(const char *path) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  if (!directory)
    return -1;
  while ((entry = readdir(directory)))
    puts(entry->d_name);
  return closedir(directory);
}

static long status(const char *path, int (*call)(const char *, struct stat *)) {
  struct stat s;
  long result = call(path, &s);
  if (result == 0)
    printf("mode %o size %ld\n", s.st_mode, (long)s.st_size);
  return result;
}

static long entered(const char *path) {
  char where[PATH_MAX];
  long result = chdir(path);
  puts(getcwd(where, sizeof where) ? where : strerror(errno));
  make("here", "", 0644);
  return result;
}

/* No byte is read that a call does not need. */
static const char *chosen(char c, int count) {
  for (volatile int i = 0; i < count; i++)
    if (c == '0' + i)
      return paths[i];
  _exit(2);
}

static long called(const char *choice) {
  const char *path = chosen(choice[1], choice[0] < 'a' ? PAIRED : PATHS), *other;
  char target[PATH_MAX];
  switch (choice[0]) {
  case 'a': return status(path, stat);
  case 'b': return status(path, lstat);
  case 'c': return access(path, R_OK);
  case 'd': return access(path, W_OK);
  case 'e': return access(path, X_OK);
  case 'f': return opened(path, O_RDONLY);
  case 'g': return opened(path, O_WRONLY);
  case 'h': return opened(path, O_RDONLY | O_TRUNC);
  case 'i': return opened(path, O_RDWR | O_CREAT);
  case 'j': return opened(path, O_WRONLY | O_CREAT | O_EXCL);
  case 'k': return opened(path, O_RDONLY | O_DIRECTORY);
  case 'l': return opened(path, O_RDONLY | O_NOFOLLOW);
  case 'm': return opened(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  case 'n': return mkdir(path, 07777);
  case 'o': return rmdir(path);
  case 'p': return unlink(path);
  case 'q': return readlink(path, target, sizeof target);
  case 'r': return entered(path);
  case 's': return truncate(path, 2);
  case 't': return chmod(path, 05);
  case 'u': return symlink("f", path);
  case 'v': return symlink("", path);
  case 'w': return listed(path);
  case 'y': return located(path, 0);
  case 'z': return located(path, O_NOFOLLOW);
  case 'x': return unlinkat(AT_FDCWD, path, 1);
  }
  other = chosen(choice[2], PAIRED);
  switch (choice[0]) {
  case '0': return rename(path, other);
  case '1': return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, NO_REPLACE);
  case '2': return link(path, other);
  case '3': return linkat(AT_FDCWD, path, AT_FDCWD, other, AT_SYMLINK_FOLLOW);
  }
  _exit(2);
}

int main(int argc, char **argv) {
  long result;
  set_up();
  if (argc > 2) {
    expect(chdir("e"));
    expect(rmdir("../e"));
  }
  result = called(argv[1]);
  printf("%ld %s\n", result, result < 0 ? strerror(errno) : "");
  return 0;
}
