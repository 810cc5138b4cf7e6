/* The world of a whole program in a native run: what docs/world.md specifies, between the
 * program and the kernel. The engine implements the same, so that both show the same.
 *
 * Freestanding: the program's libc is a part of the program.
 */
#ifndef WORLD_H
#define WORLD_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <limits.h>

#define SECONDS 1700000000L
#define USER 1000
#define PROCESS 2
/* File descriptors are below this. */
#define FILES 240

#include "../surroundings.h"
#include "kernel.h"
/* A path below the start directory without symbolic links and dots: "." for that itself. */
struct place {
  char path[PATH_MAX + NAME_MAX];
  /* It is /dev/null, and `path` says so. */
  int is_null;
  /* What the path that was given ends with. */
  enum { A_NAME, THE_ROOT, A_DOT, TWO_DOTS } end;
};

/* Whether a link at the end of a path is followed: only where a slash comes after it, always,
   or never, as with calls that make, move or remove names. */
enum follow { UNLESS_LAST, ALWAYS, NEVER };

/* Where a path of the program leads; the last name need not exist. 0 or a negative errno. */
long world_resolve(struct place *place, long directory, const char *path, enum follow follow);
/* Takes the slash at its end off a resolved path. */
void world_trim(char *path);
/* A directory has another name, or none: so have the working directory and open ones at or
   below it. */
void world_moved(struct place *old, struct place *new);
void world_directories_moved(const char *old, const char *new);
/* What a path becomes by that, or NULL if it stays. */
char *world_renamed(const char *path, const char *old, const char *new);
/* The two system calls that change and show where relative paths begin. */
long world_chdir(const struct place *place);
long world_getcwd(char *buffer, unsigned long size);

/* System calls on files: what was asked for is done where it is one, and answered in *result. */
int world_descriptor_call(long *result, long n, long a, long b, long c, long d);
int world_path_call(long *result, long n, long a, long b, long c, long d, long e);

/* Whether a pointer can be none. */
int world_leads_nowhere(const void *pointer);
/* Whether a call would write what it finds to such a place; from then on it writes elsewhere. */
int world_writes_nowhere(long n, long arguments[4]);
/* Where a descriptor's listing is, and back to there. */
size_t world_listed(long fd);
void world_list_from(long fd, size_t at);

/* What stat says of a file, from what the kernel says. */
void world_status(struct stat *status);
/* The directory that a descriptor stands for, or no text. */
const char *world_directory(long fd);
/* Whether a file descriptor is open, and for more than to say where a file is (O_PATH). */
int world_is_open(long fd);
int world_can_use(long fd);
void world_opened(long fd, const struct place *place);
/* A new pipe; 0 or a negative errno. */
long world_pipe(int *ends, long flags);
/* A name of a file, as it was, is removed: another file may get its number of the kernel. */
void world_forget(const struct stat *status);

#endif
