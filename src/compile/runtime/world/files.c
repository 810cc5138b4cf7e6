/* The program's open files, the numbers of files, and the contents of directories. */
#include "world.h"

#include <dirent.h>

/* One file descriptor. */
struct descriptor {
  /* 1 to 3 for standard input, output and error and their duplicates, else 0. */
  int stream;
  /* The path of the directory that it stands for, or NULL. */
  char *directory;
  struct listing *listing;
};

/* The entries of a directory, as they were when they were first asked for. */
struct listing {
  struct entry *entries;
  size_t count, next;
};

struct entry {
  uint64_t number;
  unsigned char type;
  char name[NAME_MAX + 1];
};

static struct descriptor descriptors[FILES] = {{.stream = 1}, {.stream = 2}, {.stream = 3}};

/* Files in the order in which they were seen: the kernel's file numbers[i] has the number i + 1. */
static struct seen {
  uint64_t device, number;
} *numbers;
static size_t known, room;

/* Devices that no file has. With STREAM, the number says which stream it is. */
#define STREAM UINT64_MAX
#define REMOVED (UINT64_MAX - 1)

static uint64_t number_of(uint64_t device, uint64_t number) {
  size_t i;
  for (i = 0; i < known; i++)
    if (numbers[i].device == device && numbers[i].number == number)
      return i + 1;
  if (known == room) {
    struct seen *more = psychic_memory((room ? 2 * room : 256) * sizeof *more);
    if (room)
      memcpy(more, numbers, room * sizeof *more);
    room = room ? 2 * room : 256;
    numbers = more;
  }
  numbers[known++] = (struct seen){device, number};
  return known;
}

void world_forget(const struct stat *status) {
  size_t i;
  if (!S_ISDIR(status->st_mode) && status->st_nlink > 1)
    return;
  for (i = 0; i < known; i++)
    if (numbers[i].device == status->st_dev && numbers[i].number == status->st_ino)
      numbers[i].device = REMOVED;
  world_forget_age(status->st_dev, status->st_ino);
}

int world_is_open(long fd) {
  return fd >= 0 && fd < FILES && KERNEL2(SYS_fcntl, fd, F_GETFD) >= 0;
}

const char *world_directory(long fd) {
  const char *directory = descriptors[fd].directory;
  return directory ? directory : "";
}

static void copy_status(struct stat *out, const struct stat *from, uint64_t number,
                        long changed) {
  int is_directory = S_ISDIR(from->st_mode);
  struct stat status = {
      .st_dev = 1,
      .st_ino = number,
      .st_mode = from->st_mode,
      .st_nlink = is_directory ? 2 : 1,
      .st_uid = USER,
      .st_gid = USER,
      .st_rdev = from->st_rdev,
      .st_size = is_directory ? 4096 : from->st_size,
      .st_blksize = 4096,
      .st_atim.tv_sec = changed,
      .st_mtim.tv_sec = changed,
      .st_ctim.tv_sec = changed,
  };
  status.st_blocks = (status.st_size + 511) / 512;
  *out = status;
}

void world_status(struct stat *status) {
  copy_status(status, status, number_of(status->st_dev, status->st_ino),
              world_changed(status->st_dev, status->st_ino));
}

static long status_of(long fd, struct stat *status) {
  int stream = descriptors[fd].stream;
  struct stat found;
  long result = KERNEL2(SYS_fstat, fd, &found);
  if (result < 0)
    return result;
  if (stream) {
    struct stat pipe = {.st_mode = S_IFIFO | 0600};
    copy_status(status, &pipe, number_of(STREAM, (uint64_t)stream), world_start);
  } else {
    *status = found;
    world_status(status);
  }
  return 0;
}

static void drop(long fd) { descriptors[fd] = (struct descriptor){0}; }

/* Takes note of a file that the kernel opened. */
void world_opened(long fd, const struct place *place) {
  struct stat status;
  drop(fd);
  if (place->is_null || KERNEL2(SYS_fstat, fd, &status) < 0 || !S_ISDIR(status.st_mode))
    return;
  size_t length = strlen(place->path);
  descriptors[fd].directory = psychic_memory(length + 1);
  memcpy(descriptors[fd].directory, place->path, length);
  if (length && place->path[length - 1] == '/')
    descriptors[fd].directory[length - 1] = 0;
}

void world_directories_moved(const char *old, const char *new) {
  char *renamed;
  long fd;
  for (fd = 0; fd < FILES; fd++)
    if (descriptors[fd].directory && (renamed = world_renamed(descriptors[fd].directory, old, new)))
      descriptors[fd].directory = renamed;
}

/* Made by the kernel: only the program writes to it and reads from it. */
long world_pipe(int *ends, long flags) {
  int made[2];
  long result;
  if (flags & ~(O_CLOEXEC | O_NONBLOCK))
    return -EINVAL;
  if ((result = KERNEL2(SYS_pipe2, made, flags)) < 0)
    return result;
  if (made[0] >= FILES || made[1] >= FILES) {
    KERNEL1(SYS_close, made[0]);
    KERNEL1(SYS_close, made[1]);
    return -EMFILE;
  }
  drop(made[0]);
  drop(made[1]);
  memcpy(ends, made, sizeof made);
  return 0;
}

static long duplicate(long from, long result) {
  if (result >= FILES) {
    KERNEL1(SYS_close, result);
    return -EMFILE;
  }
  if (result >= 0 && result != from)
    descriptors[result] = descriptors[from];
  return result;
}

static int before(const struct entry *a, const struct entry *b) {
  return strcmp(a->name, b->name) < 0;
}

/* Sorts entries by the bytes of their names, whatever the order of the file system. */
static void sort(struct entry *entries, size_t count) {
  size_t i, j;
  for (i = 1; i < count; i++) {
    struct entry moved = entries[i];
    for (j = i; j > 0 && before(&moved, &entries[j - 1]); j--)
      entries[j] = entries[j - 1];
    entries[j] = moved;
  }
}

/* A record that getdents64 writes. */
struct record {
  uint64_t number;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

static uint64_t number_at(const char *directory, const char *name) {
  struct stat status;
  char path[PATH_MAX + NAME_MAX + 1];
  strcpy(path, directory);
  strcat(path, "/");
  strcat(path, name);
  /* The start directory is its own parent. */
  if (strcmp(name, "..") == 0 && strcmp(directory, ".") == 0)
    strcpy(path, ".");
  if (KERNEL4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
    return 0;
  return number_of(status.st_dev, status.st_ino);
}

static long list(long fd) {
  static char buffer[1 << 15] __attribute__((aligned(8)));
  const char *directory = descriptors[fd].directory;
  struct listing *listing = psychic_memory(sizeof *listing);
  size_t room = 64, i;
  long size, at;

  listing->entries = psychic_memory(room * sizeof *listing->entries);
  listing->count = 2;
  strcpy(listing->entries[0].name, ".");
  strcpy(listing->entries[1].name, "..");
  listing->entries[0].type = listing->entries[1].type = DT_DIR;
  KERNEL3(SYS_lseek, fd, 0, SEEK_SET);
  while ((size = KERNEL3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
    for (at = 0; at < size;) {
      struct record *record = (struct record *)(buffer + at);
      at += record->length;
      if (strcmp(record->name, ".") == 0 || strcmp(record->name, "..") == 0)
        continue;
      if (listing->count == room) {
        struct entry *more = psychic_memory(2 * room * sizeof *more);
        memcpy(more, listing->entries, room * sizeof *more);
        listing->entries = more;
        room *= 2;
      }
      strcpy(listing->entries[listing->count].name, record->name);
      listing->entries[listing->count++].type = record->type;
    }
  if (size < 0)
    return size;
  sort(listing->entries + 2, listing->count - 2);
  for (i = 0; i < listing->count; i++)
    listing->entries[i].number = number_at(directory, listing->entries[i].name);
  descriptors[fd].listing = listing;
  return 0;
}

size_t world_listed(long fd) { return descriptors[fd].listing ? descriptors[fd].listing->next : 0; }

void world_list_from(long fd, size_t at) {
  if (descriptors[fd].listing)
    descriptors[fd].listing->next = at;
}

static long directory_entries(long fd, char *buffer, size_t size) {
  struct listing *listing;
  size_t used = 0;
  if (!descriptors[fd].directory)
    return -ENOTDIR;
  if (!descriptors[fd].listing) {
    long result = list(fd);
    if (result < 0)
      return result;
  }
  listing = descriptors[fd].listing;
  for (; listing->next < listing->count; listing->next++) {
    const struct entry *entry = &listing->entries[listing->next];
    size_t length = (offsetof(struct record, name) + strlen(entry->name) + 1 + 7) & ~(size_t)7;
    struct record *record = (struct record *)(buffer + used);
    if (used + length > size)
      return used ? (long)used : -EINVAL;
    memset(record, 0, length);
    record->number = entry->number;
    record->offset = (int64_t)listing->next + 1;
    record->length = length;
    record->type = entry->type;
    strcpy(record->name, entry->name);
    used += length;
  }
  return used;
}

static long seek(long fd, long offset, long whence) {
  struct descriptor *descriptor = &descriptors[fd];
  if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
    return -EINVAL;
  if (descriptor->stream)
    return -ESPIPE;
  if (!descriptor->directory)
    return KERNEL3(SYS_lseek, fd, offset, whence);
  if (whence == SEEK_CUR && descriptor->listing)
    offset += (long)descriptor->listing->next;
  else if (whence == SEEK_END)
    return -EINVAL;
  if (offset < 0)
    return -EINVAL;
  if (offset == 0)
    descriptor->listing = NULL;
  else if (descriptor->listing || list(fd) == 0)
    descriptor->listing->next = offset;
  return offset;
}

/* Reads standard input until the buffer is full or the input ends; other files as the kernel
 * does. */
static long read_bytes(long fd, char *buffer, unsigned long size) {
  unsigned long done = 0;
  int stream = descriptors[fd].stream;
  if (!stream)
    return KERNEL3(SYS_read, fd, buffer, size);
  if (stream != 1)
    return -EBADF;
  while (done < size) {
    long count = KERNEL3(SYS_read, fd, buffer + done, size - done);
    if (count == -EINTR)
      continue;
    if (count < 0)
      return done ? (long)done : count;
    if (count == 0)
      break;
    done += (unsigned long)count;
  }
  return done;
}

struct part {
  char *base;
  unsigned long size;
};

static long read_parts(long fd, const struct part *parts, long count) {
  long done = 0, i;
  if (count > 0 && count <= IOV_MAX && world_leads_nowhere(parts))
    return -EFAULT;
  if (count < 0 || count > IOV_MAX)
    return -EINVAL;
  if (descriptors[fd].stream != 1)
    return KERNEL3(SYS_readv, fd, parts, count);
  for (i = 0; i < count; i++) {
    long result = read_bytes(fd, parts[i].base, parts[i].size);
    if (result < 0)
      return done ? done : result;
    done += result;
    if ((unsigned long)result < parts[i].size)
      break;
  }
  return done;
}

static long control(long fd, long command, long argument) {
  int stream = descriptors[fd].stream;
  switch (command) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    if (argument < 0 || argument >= FILES)
      return -EINVAL;
    return duplicate(fd, KERNEL3(SYS_fcntl, fd, command, argument));
  case F_GETFD:
  case F_SETFD:
    return KERNEL3(SYS_fcntl, fd, command, argument);
  case F_GETFL:
    return stream ? stream == 1 ? O_RDONLY : O_WRONLY : KERNEL2(SYS_fcntl, fd, command);
  case F_SETFL:
    return stream ? 0 : KERNEL3(SYS_fcntl, fd, command, argument);
  case F_SETLK:
  case F_SETLKW:
    return 0;
  default:
    return -EINVAL;
  }
}

int world_can_use(long fd) {
  return world_is_open(fd) && !(KERNEL2(SYS_fcntl, fd, F_GETFL) & O_PATH);
}

/* Whether a call needs to know only where a file is. */
static int is_about_place(long n, int command) {
  switch (n) {
  case SYS_close: case SYS_fstat: case SYS_dup: case SYS_dup2: case SYS_dup3: case SYS_fchdir:
    return 1;
  case SYS_fcntl:
    return command == F_GETFL || command == F_GETFD || command == F_SETFD || command == F_DUPFD ||
           command == F_DUPFD_CLOEXEC;
  default:
    return 0;
  }
}

/* Whether the first argument of a call is a file descriptor. */
static int on_descriptor(long n) {
  switch (n) {
  case SYS_read: case SYS_write: case SYS_readv: case SYS_writev: case SYS_pread64:
  case SYS_pwrite64: case SYS_close: case SYS_lseek: case SYS_fstat: case SYS_ioctl:
  case SYS_fcntl: case SYS_dup: case SYS_dup2: case SYS_dup3: case SYS_getdents64:
  case SYS_ftruncate: case SYS_fsync: case SYS_fdatasync: case SYS_syncfs: case SYS_fadvise64:
  case SYS_flock: case SYS_fchmod: case SYS_fchown: case SYS_fchdir:
    return 1;
  default:
    return 0;
  }
}

/* Whether it is a device; the only one is /dev/null. */
static int is_device(long fd) {
  struct stat status;
  return KERNEL2(SYS_fstat, fd, &status) == 0 && S_ISCHR(status.st_mode);
}

int world_descriptor_call(long *result, long n, long a, long b, long c, long d) {
  int stream;
  /* A descriptor is an int: the upper bits are ignored. */
  long fd = (int)a;
  if (!on_descriptor(n))
    return 0;
  if (!(is_about_place(n, (int)b) ? world_is_open(fd) : world_can_use(fd))) {
    *result = -EBADF;
    return 1;
  }
  stream = descriptors[fd].stream;
  switch (n) {
  case SYS_read:
    *result = read_bytes(fd, (char *)b, (unsigned long)c);
    break;
  case SYS_readv:
    *result = stream > 1 ? -EBADF : read_parts(fd, (const struct part *)b, c);
    break;
  case SYS_write:
  case SYS_writev:
    *result = stream == 1 ? -EBADF : KERNEL3(n, fd, b, c);
    break;
  case SYS_pread64:
  case SYS_pwrite64:
    *result = d < 0 ? -EINVAL : stream ? -ESPIPE : KERNEL4(n, fd, b, c, d);
    break;
  case SYS_close:
    drop(fd);
    *result = KERNEL1(n, fd);
    break;
  case SYS_lseek:
    *result = seek(fd, b, c);
    break;
  case SYS_fstat:
    *result = status_of(fd, (struct stat *)b);
    break;
  case SYS_ioctl:
    *result = -ENOTTY;
    break;
  case SYS_fcntl:
    *result = control(fd, b, c);
    break;
  case SYS_dup:
    *result = duplicate(fd, KERNEL1(n, fd));
    break;
  case SYS_dup2:
  case SYS_dup3:
    *result = (int)b < 0 || (int)b >= FILES ? -EBADF : duplicate(fd, KERNEL3(n, fd, (int)b, c));
    break;
  case SYS_getdents64:
    *result = directory_entries(fd, (char *)b, (size_t)c);
    break;
  case SYS_ftruncate:
    *result = stream ? -EINVAL : KERNEL2(n, fd, b);
    break;
  case SYS_fsync:
  case SYS_fdatasync:
    *result = stream ? -EINVAL : KERNEL1(n, fd);
    break;
  case SYS_fadvise64:
    *result = stream ? -ESPIPE : KERNEL4(n, fd, b, c, d);
    break;
  case SYS_fchmod:
    *result = stream ? 0 : is_device(fd) ? -EPERM : KERNEL2(n, fd, b);
    break;
  case SYS_fchown:
    *result = ((int)b == -1 || b == USER) && ((int)c == -1 || c == USER) ? 0 : -EPERM;
    break;
  case SYS_fchdir: {
    struct place place = {0};
    if (!descriptors[fd].directory) {
      *result = -ENOTDIR;
      break;
    }
    strcpy(place.path, descriptors[fd].directory);
    *result = world_chdir(&place);
    break;
  }
  default:
    *result = 0;
  }
  return 1;
}
