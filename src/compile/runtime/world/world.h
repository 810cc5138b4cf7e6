/* The world of a whole program in a native run: what docs/world.md specifies, between the program
 * and the kernel. The engine implements the same world, so that both show the same.
 *
 * It is freestanding, as the program's libc is a part of the program.
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

#define USER 1000
#define PROCESS 2
/* File descriptors are below this. */
#define FILES 240

#include "../surroundings.h"
#include "../kernel.h"
/* A path below the start directory, without symbolic links and dots; "." is the directory
   itself. */
struct place {
  char path[PATH_MAX + NAME_MAX];
  /* Whether it is /dev/null, which is `path` then. */
  int is_null;
  /* The last part of the path that was given. */
  enum { A_NAME, THE_ROOT, A_DOT, TWO_DOTS } end;
};

/* Whether a link at the end of a path is followed: only if a slash comes after it, always, or
   never, as in calls that make, move or remove names. */
enum follow { UNLESS_LAST, ALWAYS, NEVER };

/* Finds where a path of the program leads; the last name need not exist. 0 or a negative errno. */
long world_resolve(struct place *place, long directory, const char *path, enum follow follow);
/* Removes the slash at the end of a resolved path. */
void world_trim(char *path);
/* Takes note that a directory got another name, or none if NEW is NULL: the paths of the working
   directory and of open directories at or below it change, too. */
void world_moved(struct place *old, struct place *new);
void world_directories_moved(const char *old, const char *new);
/* The path after that change, or NULL if it stays as it is. */
char *world_renamed(const char *path, const char *old, const char *new);
/* The two system calls that set and get the working directory. */
long world_chdir(const struct place *place);
long world_getcwd(char *buffer, unsigned long size);

/* Return whether a system call is one on descriptors or on paths, and put its answer in *result. */
int world_descriptor_call(long *result, long n, long a, long b, long c, long d);
int world_path_call(long *result, long n, long a, long b, long c, long d, long e);

/* Whether a pointer cannot be one of the program. */
int world_leads_nowhere(const void *pointer);
/* Whether a call would write what it finds to such a place; if so, it writes elsewhere instead. */
int world_writes_nowhere(long n, long arguments[4]);
/* The position in the listing of a descriptor's directory, and going back to it. */
size_t world_listed(long fd);
void world_list_from(long fd, size_t at);

/* The time at which the program starts, in seconds since 1970. */
extern long world_start;
/* Takes note of that time, and of how old files are. Has to be called first. */
void world_times(void);
/* When a file was last changed, in seconds since 1970. */
long world_changed(uint64_t device, uint64_t number);
/* Takes note that a file was removed: another one may get its number. */
void world_forget_age(uint64_t device, uint64_t number);

/* Replaces what the kernel says of a file by what stat says of it. */
void world_status(struct stat *status);
/* The directory that a descriptor stands for, or an empty text. */
const char *world_directory(long fd);
/* Whether a file descriptor is open, and whether for more than to name a place (O_PATH). */
int world_is_open(long fd);
int world_can_use(long fd);
void world_opened(long fd, const struct place *place);
/* A new pipe; 0 or a negative errno. */
long world_pipe(int *ends, long flags);
/* Takes note that a name of a file with this status was removed: if it was the last one, the
   kernel may give the file's number to another file. */
void world_forget(const struct stat *status);

#endif
