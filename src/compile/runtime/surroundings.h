/* What the intrinsics need from the process that they are in. environment.c and surroundings.c
 * provide it; how a process aborts is in hosted.c where there is a libc of the system, and in
 * world/bare.c where the libc is a part of the program.
 */
#ifndef PSYCHIC_SURROUNDINGS_H
#define PSYCHIC_SURROUNDINGS_H

#include <stddef.h>

/* Has to be called first, with the environment that the process was started with. */
void psychic_environment(char **variables);

/* The value of a variable of that environment, or NULL. */
const char *psychic_setting(const char *name);

/* The variables of that environment whose names begin with PREFIX, as NAME=VALUE without it. Writes
 * them unless TO is NULL; returns their number. */
size_t psychic_settings(const char *prefix, char **to);

/* The variables of the program, in order. Writes them unless TO is NULL; returns their number. */
size_t psychic_variables(char **to);

/* Serves runs if the process was started for that, and returns in each of these runs. Only where
 * there is a libc of the system. */
void psychic_serve(void);

/* Sets the revision that runs, whatever the environment says. */
void psychic_run_revision(int running);

/* Zeroed memory that is never given back; ends the process if there is none. */
void *psychic_memory(size_t size);

/* All bytes of a file; ends the process if it cannot be read. */
const unsigned char *psychic_file(const char *path, size_t *size);

/* Copies at most 4096 bytes from wherever they are; returns 0 if not all can be read. */
int psychic_copy(void *to, const void *from, size_t size);

struct psychic_part {
  const void *bytes;
  size_t size;
};

/* Appends to a file; ends the process if that fails. */
void psychic_append(const char *path, const struct psychic_part *parts, size_t count);

/* Writes a line to standard error, made of the texts up to NULL. */
void psychic_say(const char *const *texts);

/* Ends the process at once. */
_Noreturn void psychic_end(int status);
_Noreturn void psychic_abort(void);

#endif
