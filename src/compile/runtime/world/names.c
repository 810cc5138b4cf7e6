/* System calls that name files by path. */
#include "world.h"

/* RENAME_NOREPLACE (linux/fs.h). */
static const long NO_REPLACE = 1;

static enum follow unless(long link_is_meant) {
  return link_is_meant ? UNLESS_LAST : ALWAYS;
}

static long raw_status(const char *path, struct stat *status) {
  return KERNEL4(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

static long status_at(long directory, const char *path, struct stat *status,
                      enum follow follow) {
  struct place place;
  long result = world_resolve(&place, directory, path, follow);
  if (result < 0)
    return result;
  result = raw_status(place.path, status);
  if (result == 0)
    world_status(status);
  return result;
}

static long open_at(long directory, const char *path, long flags, long mode) {
  struct place place;
  enum follow follow;
  long result;
  if (flags & O_PATH)
    flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  follow = unless((flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL));
  if ((flags & O_TMPFILE) == O_TMPFILE)
    return -EOPNOTSUPP;
  if ((flags & O_CREAT) && !world_leads_nowhere(path) && *path && path[strlen(path) - 1] == '/') {
    result = world_resolve(&place, directory, path, NEVER);
    if (result < 0 || place.end == A_NAME)
      return result < 0 ? result : -EISDIR;
  }
  if ((result = world_resolve(&place, directory, path, follow)) < 0)
    return result;
  if (place.end != A_NAME)
    world_trim(place.path);
  result = KERNEL4(SYS_openat, AT_FDCWD, place.path, flags, mode);
  if (result >= FILES) {
    KERNEL1(SYS_close, result);
    return -EMFILE;
  }
  if (result >= 0)
    world_opened(result, &place);
  return result;
}

static long remove_at(long directory, const char *path, long flags) {
  struct place place;
  struct stat old;
  char named[sizeof place.path];
  long result;
  if (flags & ~AT_REMOVEDIR)
    return -EINVAL;
  result = world_resolve(&place, directory, path, NEVER);
  if (result < 0)
    return result;
  if (place.is_null)
    return -EACCES;
  if (place.end != A_NAME && !(flags & AT_REMOVEDIR))
    return -EISDIR;
  if (place.end != A_NAME)
    return place.end == THE_ROOT ? -EBUSY : place.end == A_DOT ? -EINVAL : -ENOTEMPTY;
  strcpy(named, place.path);
  world_trim(place.path);
  if ((result = raw_status(place.path, &old)) < 0)
    return result;
  result = KERNEL3(SYS_unlinkat, AT_FDCWD, named, flags);
  if (result == 0)
    world_forget(&old);
  if (result == 0 && flags)
    world_moved(&place, NULL);
  return result;
}

static long rename_at(long from_at, const char *from, long to_at, const char *to, long flags) {
  struct place old, new;
  struct stat moved, replaced;
  int replaces, exists, moves_directory;
  long result;
  if (flags & ~NO_REPLACE)
    return -EINVAL;
  /* Both pointers are checked before either path is resolved. */
  if (world_leads_nowhere(from) || world_leads_nowhere(to))
    return -EFAULT;
  if ((result = world_resolve(&old, from_at, from, NEVER)) < 0 ||
      (result = world_resolve(&new, to_at, to, NEVER)) < 0)
    return result;
  if (old.is_null || new.is_null)
    return -EACCES;
  if (old.end != A_NAME)
    return -EBUSY;
  if (new.end != A_NAME)
    return flags & NO_REPLACE ? -EEXIST : -EBUSY;
  replaces = raw_status(new.path, &replaced) == 0;
  exists = raw_status(old.path, &moved) == 0;
  moves_directory = exists && S_ISDIR(moved.st_mode);
  result = kernel(SYS_renameat2, AT_FDCWD, (long)old.path, AT_FDCWD, (long)new.path, flags, 0);
  /* Two names of one file stay as they are: nothing was replaced or moved. */
  if (result == 0 && replaces && exists && replaced.st_ino == moved.st_ino)
    return 0;
  if (result == 0 && replaces && (replaced.st_nlink == 1 || S_ISDIR(replaced.st_mode)))
    world_forget(&replaced);
  if (result == 0 && replaces && S_ISDIR(replaced.st_mode))
    world_moved(&new, NULL);
  if (result == 0 && moves_directory)
    world_moved(&old, &new);
  return result;
}

static long link_at(long from_at, const char *from, long to_at, const char *to, long flags) {
  struct place old, new;
  struct stat status;
  enum follow follow = flags & AT_SYMLINK_FOLLOW ? ALWAYS : UNLESS_LAST;
  long result = world_leads_nowhere(from) || world_leads_nowhere(to)
                    ? -EFAULT
                    : world_resolve(&old, from_at, from, follow);
  if (result == 0)
    result = old.is_null ? -EACCES : raw_status(old.path, &status);
  if (result == 0)
    result = world_resolve(&new, to_at, to, NEVER);
  if (result < 0)
    return result;
  if (new.is_null)
    return -EACCES;
  return kernel(SYS_linkat, AT_FDCWD, (long)old.path, AT_FDCWD, (long)new.path, 0, 0);
}

/* Makes a call of the shape f(directory, path, x, y) on a resolved path. */
static long at(long n, long directory, const char *path, long x, long y, enum follow follow) {
  struct place place;
  long result = world_resolve(&place, directory, path, follow);
  return result < 0 ? result : KERNEL4(n, AT_FDCWD, place.path, x, y);
}

static long change_mode_at(long directory, const char *path, long mode) {
  struct place place;
  long result = world_resolve(&place, directory, path, ALWAYS);
  if (result == 0)
    result = place.is_null ? -EPERM : KERNEL3(SYS_fchmodat, AT_FDCWD, place.path, mode);
  return result;
}

/* Whether a file exists, as 0 or a negative errno; for calls that change nothing visible. */
static long exists(long directory, const char *path, enum follow follow) {
  struct stat status;
  struct place place;
  long result = world_resolve(&place, directory, path, follow);
  if (result < 0)
    return result;
  return raw_status(place.path, &status);
}

static long own(long directory, const char *path, long user, long group, enum follow follow) {
  long result = exists(directory, path, follow);
  if (result < 0)
    return result;
  if (((int)user != -1 && user != USER) || ((int)group != -1 && group != USER))
    return -EPERM;
  return 0;
}

static long change_directory(const char *path) {
  struct place place;
  long result = world_resolve(&place, AT_FDCWD, path, ALWAYS);
  return result < 0 ? result : world_chdir(&place);
}

int world_path_call(long *result, long n, long a, long b, long c, long d, long e) {
  /* Descriptors of directories are ints. */
  long here = AT_FDCWD, directory = (int)a;
  const char *first = (const char *)a, *second = (const char *)b;
  switch (n) {
  case SYS_open:
    *result = open_at(here, first, b, c);
    break;
  case SYS_openat:
    *result = open_at(directory, second, c, d);
    break;
  case SYS_creat:
    *result = open_at(here, first, O_CREAT | O_WRONLY | O_TRUNC, b);
    break;
  case SYS_stat:
    *result = status_at(here, first, (struct stat *)b, ALWAYS);
    break;
  case SYS_lstat:
    *result = status_at(here, first, (struct stat *)b, UNLESS_LAST);
    break;
  case SYS_newfstatat:
    if (world_leads_nowhere(second)) {
      *result = -EFAULT;
      break;
    }
    if (!*second && (d & AT_EMPTY_PATH) && directory != AT_FDCWD)
      return world_descriptor_call(result, SYS_fstat, a, c, 0, 0);
    if (!*second && (d & AT_EMPTY_PATH))
      second = ".";
    *result = status_at(directory, second, (struct stat *)c, unless(d & AT_SYMLINK_NOFOLLOW));
    break;
  case SYS_access:
    *result = at(SYS_faccessat, here, first, b, 0, ALWAYS);
    break;
  case SYS_faccessat:
    *result = at(n, directory, second, c, 0, ALWAYS);
    break;
  case SYS_faccessat2:
    *result = at(SYS_faccessat, directory, second, c, 0, unless(d & AT_SYMLINK_NOFOLLOW));
    break;
  case SYS_readlink:
    *result = (int)c <= 0 ? -EINVAL : at(SYS_readlinkat, here, first, b, c, UNLESS_LAST);
    break;
  case SYS_readlinkat:
    *result = (int)d <= 0 ? -EINVAL : at(n, directory, second, c, d, UNLESS_LAST);
    break;
  case SYS_mkdir:
    *result = at(SYS_mkdirat, here, first, b, 0, NEVER);
    break;
  case SYS_mkdirat:
    *result = at(n, directory, second, c, 0, NEVER);
    break;
  case SYS_chmod:
    *result = change_mode_at(here, first, b);
    break;
  case SYS_fchmodat:
    *result = change_mode_at(directory, second, c);
    break;
  case SYS_truncate: {
    struct place place;
    *result = world_resolve(&place, here, first, ALWAYS);
    if (*result == 0)
      *result = KERNEL2(n, place.path, b);
    break;
  }
  case SYS_unlink:
    *result = remove_at(here, first, 0);
    break;
  case SYS_rmdir:
    *result = remove_at(here, first, AT_REMOVEDIR);
    break;
  case SYS_unlinkat:
    *result = remove_at(directory, second, (int)c);
    break;
  case SYS_rename:
    *result = rename_at(here, first, here, second, 0);
    break;
  case SYS_renameat:
    *result = rename_at(directory, second, (int)c, (const char *)d, 0);
    break;
  case SYS_renameat2:
    *result = rename_at(directory, second, (int)c, (const char *)d, e);
    break;
  case SYS_link:
    *result = link_at(here, first, here, second, 0);
    break;
  case SYS_linkat:
    *result = link_at(directory, second, (int)c, (const char *)d, e);
    break;
  case SYS_symlink:
  case SYS_symlinkat: {
    struct place place;
    const char *path = n == SYS_symlink ? second : (const char *)c;
    /* The target is checked first. */
    *result = world_leads_nowhere(first) ? -EFAULT
              : !*first                  ? -ENOENT
                                         : world_resolve(&place, n == SYS_symlink ? here : (int)b, path, NEVER);
    if (*result == 0)
      *result = KERNEL3(SYS_symlinkat, first, AT_FDCWD, place.path);
    break;
  }
  case SYS_chown:
    *result = own(here, first, b, c, ALWAYS);
    break;
  case SYS_lchown:
    *result = own(here, first, b, c, UNLESS_LAST);
    break;
  case SYS_fchownat:
    *result = own(directory, second, c, d, unless(e & AT_SYMLINK_NOFOLLOW));
    break;
  case SYS_utime:
  case SYS_utimes:
    *result = exists(here, first, ALWAYS);
    break;
  case SYS_futimesat:
  case SYS_utimensat:
    if (!second)
      *result = world_can_use(directory) ? 0 : -EBADF;
    else
      *result = exists(directory, second, unless(n == SYS_utimensat && (d & AT_SYMLINK_NOFOLLOW)));
    break;
  case SYS_chdir:
    *result = change_directory(first);
    break;
  case SYS_getcwd:
    *result = world_getcwd((char *)a, (unsigned long)b);
    break;
  default:
    return 0;
  }
  return 1;
}
