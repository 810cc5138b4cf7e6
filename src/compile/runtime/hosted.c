/* The surroundings of the intrinsics in a program that is linked with the system's libc.
 *
 * Nothing here may print to stdout or change what the subject can see of itself, except where that
 * makes runs comparable:
 * - stdout is unbuffered, so that what was printed before a crash is seen;
 * - a failed assertion does not name file and line, which differ between the meta program and a
 *   patched source;
 * - in a test there are no environment variables but those of the test.
 */
#define _GNU_SOURCE
#include "surroundings.h"
#include "psychic.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Noreturn void fail(const char *what, const char *which) {
  fprintf(stderr, "psychic: %s %s\n", what, which);
  _Exit(PSYCHIC_ASSUMPTION_VIOLATED + 1);
}

void *psychic_memory(size_t size) {
  void *memory = calloc(size ? size : 1, 1);
  if (!memory)
    fail("out of memory for", "a test");
  return memory;
}

const unsigned char *psychic_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes;
  long length;
  if (!file || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0)
    fail("cannot open", path);
  rewind(file);
  *size = (size_t)length;
  bytes = psychic_memory(*size);
  if (fread(bytes, 1, *size, file) != *size)
    fail("cannot read", path);
  fclose(file);
  return bytes;
}

/* Through a pipe: the kernel says what cannot be read, and no sanitizer sees it read. */
int psychic_copy(void *to, const void *from, size_t size) {
  int before = errno, ends[2], is_whole = 0;
  if (pipe(ends) == 0) {
    is_whole = syscall(SYS_write, ends[1], from, size) == (long)size &&
               syscall(SYS_read, ends[0], to, size) == (long)size;
    close(ends[0]);
    close(ends[1]);
  }
  errno = before;
  return is_whole;
}

void psychic_append(const char *path, const struct psychic_part *parts, size_t count) {
  FILE *file = fopen(path, "ab");
  if (!file)
    fail("cannot append to", path);
  for (; count; count--, parts++)
    fwrite(parts->bytes, 1, parts->size, file);
  fclose(file);
}

void psychic_say(const char *const *texts) {
  for (; *texts; texts++)
    fputs(*texts, stderr);
  fputs("\n", stderr);
}

_Noreturn void psychic_end(int status) { _Exit(status); }

_Noreturn void psychic_abort(void) { abort(); }

/* Called for a division by a constant zero (compile/divisions.rs), which otherwise means
 * nothing. */
_Noreturn void __ubsan_handle_divrem_overflow_minimal_abort(void) {
  raise(SIGFPE);
  abort();
}

__attribute__((constructor)) static void show_everything_printed(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
}

/* Runs before the program's constructors. Without a test, a person may want their own variables. */
static void come_first(void) {
  char **variables;
  psychic_environment(environ);
  psychic_serve();
  if (!psychic_setting("KTEST_FILE"))
    return;
  variables = psychic_memory((psychic_variables(NULL) + 1) * sizeof *variables);
  psychic_variables(variables);
  environ = variables;
}

/* Comes before constructors with a priority, of which the least is 101. */
__attribute__((section(".init_array.00100"), used)) static void (*const first)(void) = come_first;

#if !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)
/* Memory that was never written is zero, even if it was in use before. A program that has an
 * allocator of its own keeps it. */
void *__libc_calloc(size_t count, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
#define UNLESS_DEFINED __attribute__((weak))

UNLESS_DEFINED void *malloc(size_t size) { return __libc_calloc(1, size); }

/* Never resizes in place: memory could grow over what others have left. */
UNLESS_DEFINED void *realloc(void *old, size_t size) {
  size_t known = old ? malloc_usable_size(old) : 0;
  void *memory;
  if (old && !size) {
    __libc_free(old);
    return NULL;
  }
  memory = __libc_calloc(1, size);
  if (memory && old) {
    memcpy(memory, old, known < size ? known : size);
    __libc_free(old);
  }
  return memory;
}

UNLESS_DEFINED void *memalign(size_t alignment, size_t size) {
  void *memory = __libc_memalign(alignment, size);
  return memory ? memset(memory, 0, size) : NULL;
}

UNLESS_DEFINED void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

UNLESS_DEFINED int posix_memalign(void **out, size_t alignment, size_t size) {
  int before = errno;
  void *memory;
  if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
    return EINVAL;
  memory = memalign(alignment, size);
  errno = before;
  if (!memory)
    return ENOMEM;
  *out = memory;
  return 0;
}
#endif

_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line,
                             const char *function) {
  (void)file;
  (void)line;
  (void)function;
  fprintf(stderr, "Assertion `%s' failed.\n", assertion);
  abort();
}
