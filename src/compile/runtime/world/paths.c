/* The paths of the program: a tree at /psychic, which is the start directory, and /dev/null. */
#include "world.h"

/* The most links in a path, as in the kernel. */
#define LINKS 40

/* The program's working directory, relative to the start directory, in which the process stays. */
static char current[PATH_MAX] = ".";

/* The rest of an absolute path after the root of the tree; NULL if it lies outside. */
static const char *below_root(const char *path) {
  static const char root[] = "/psychic";
  size_t length = sizeof root - 1;
  while (path[0] == '/' && path[1] == '/')
    path++;
  if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
    return NULL;
  return path + length;
}

/* The rest of a path after /dev/null; NULL if it does not begin with that. */
static const char *below_null(const char *path) {
  path += strspn(path, "/");
  if (strncmp(path, "dev/", 4) != 0)
    return NULL;
  path += 4;
  path += strspn(path, "/");
  if (strncmp(path, "null", 4) != 0 || (path[4] && path[4] != '/'))
    return NULL;
  return path + 4;
}

/* Adds a name to a path without symbolic links. */
static long append(struct place *place, const char *name, size_t length) {
  size_t old = strcmp(place->path, ".") == 0 ? 0 : strlen(place->path);
  if (length > NAME_MAX || old + 1 + length >= PATH_MAX)
    return -ENAMETOOLONG;
  if (old)
    place->path[old++] = '/';
  memcpy(place->path + old, name, length);
  place->path[old + length] = 0;
  return 0;
}

/* Nothing is beyond the start directory: it is its own parent, as a root is. */
static void to_parent(struct place *place) {
  char *slash = strrchr(place->path, '/');
  if (slash)
    *slash = 0;
  else
    strcpy(place->path, ".");
}

static long is_directory(const char *path) {
  struct stat status;
  long result = KERNEL4(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW);
  return result < 0 ? result : S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

/* 0 if the program may go through a directory, else a negative errno. */
static long can_enter(const char *path) {
  long result = is_directory(path);
  return result < 0 ? result : KERNEL4(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */, 0);
}

long world_resolve(struct place *place, long directory, const char *path, enum follow follow) {
  static char rests[2][2 * PATH_MAX];
  int links = 0, flip = 0, must_be_directory = 0;
  const char *rest = path;
  long result;

  place->is_null = 0;
  place->end = THE_ROOT;
  if (world_leads_nowhere(path))
    return -EFAULT;
  if (!*path)
    return -ENOENT;
  if (strlen(path) >= PATH_MAX)
    return -ENAMETOOLONG;
  if (*path == '/') {
    strcpy(place->path, ".");
  } else if (directory == AT_FDCWD) {
    strcpy(place->path, current);
  } else if (!world_is_open(directory)) {
    return -EBADF;
  } else if (!*world_directory(directory)) {
    return -ENOTDIR;
  } else {
    strcpy(place->path, world_directory(directory));
  }
  for (;;) {
    size_t length;
    if (*rest == '/') {
      const char *after = below_null(rest);
      if (after) {
        if (after[strspn(after, "/")])
          return -ENOENT;
        strcpy(place->path, "/dev/null");
        place->is_null = 1;
        place->end = A_NAME;
        return *after && follow != NEVER ? -ENOTDIR : 0;
      }
      rest = below_root(rest);
      if (!rest)
        return -ENOENT;
      strcpy(place->path, ".");
    }
    for (;;) {
      struct stat status;
      while (*rest == '/') {
        must_be_directory = 1;
        rest++;
      }
      length = 0;
      while (rest[length] && rest[length] != '/')
        length++;
      if (!length)
        break;
      if ((result = can_enter(place->path)) < 0)
        return result;
      must_be_directory = 0;
      place->end = A_NAME;
      if (length == 1 && *rest == '.') {
        must_be_directory = 1;
        place->end = A_DOT;
        rest += length;
        continue;
      }
      if (length == 2 && rest[0] == '.' && rest[1] == '.') {
        to_parent(place);
        place->end = TWO_DOTS;
        rest += length;
        continue;
      }
      if ((result = append(place, rest, length)) < 0)
        return result;
      rest += length;
      if (follow == UNLESS_LAST && !*rest)
        break;
      if (follow == NEVER && !rest[strspn(rest, "/")]) {
        must_be_directory = *rest == '/';
        rest += strlen(rest);
        break;
      }
      result = KERNEL4(SYS_newfstatat, AT_FDCWD, place->path, &status, AT_SYMLINK_NOFOLLOW);
      if (result == 0 && S_ISLNK(status.st_mode)) {
        char *next = rests[flip ^= 1];
        if (++links > LINKS)
          return -ELOOP;
        result = KERNEL4(SYS_readlinkat, AT_FDCWD, place->path, next, PATH_MAX - 1);
        if (result < 0)
          return result;
        if (strlen(rest) >= PATH_MAX)
          return -ENAMETOOLONG;
        strcpy(next + result, rest);
        to_parent(place);
        rest = next;
        if (*rest == '/')
          break;
      }
    }
    if (*rest != '/')
      break;
  }
  /* The kernel says what is wrong if a file is named as a directory. */
  if (must_be_directory && strcmp(place->path, ".") != 0)
    strcat(place->path, "/");
  return 0;
}

void world_trim(char *path) {
  size_t length = strlen(path);
  if (length && path[length - 1] == '/')
    path[length - 1] = 0;
}

char *world_renamed(const char *path, const char *old, const char *new) {
  size_t length = strlen(old), rest;
  char *renamed;
  if (strncmp(path, old, length) != 0 || (path[length] && path[length] != '/'))
    return NULL;
  rest = strlen(path + length);
  renamed = psychic_memory(strlen(new) + rest + 1);
  strcpy(renamed, new);
  strcat(renamed, path + length);
  return renamed;
}

void world_moved(struct place *old, struct place *new) {
  /* A path outside of the tree, where nothing is. */
  const char *path = "/psychic-removed";
  char *renamed;
  world_trim(old->path);
  if (new) {
    world_trim(new->path);
    path = new->path;
  }
  world_directories_moved(old->path, path);
  if ((renamed = world_renamed(current, old->path, path)) && strlen(renamed) < PATH_MAX)
    strcpy(current, renamed);
}

long world_chdir(const struct place *place) {
  long result = place->is_null ? -ENOTDIR : can_enter(place->path);
  if (result < 0)
    return result;
  strcpy(current, place->path);
  world_trim(current);
  return 0;
}

long world_getcwd(char *buffer, unsigned long size) {
  static const char root[] = "/psychic";
  int is_root = strcmp(current, ".") == 0;
  size_t length = is_root ? sizeof root : sizeof root + 1 + strlen(current);
  if (is_directory(current) < 0)
    return -ENOENT;
  if (size < length)
    return -ERANGE;
  strcpy(buffer, root);
  if (!is_root) {
    strcat(buffer, "/");
    strcat(buffer, current);
  }
  return length;
}
