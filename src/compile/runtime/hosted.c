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
#include "kernel.h"
#include "plain.h"
#include "surroundings.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A program may have functions of its own with the names of libc's, which libc does not call. Neither
 * does what follows. */
#define UNLESS_DEFINED __attribute__((weak))

/* Sends the program a signal, also if it is blocked, and ends it if the program goes on. */
static _Noreturn void end_by(int number) {
  /* As the kernel knows sets and actions: the default action has the handler 0. */
  unsigned long set[] = {1ul << (number - 1)}, usual[4] = {0};
  long process = kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
  long thread = kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
  KERNEL4(SYS_rt_sigprocmask, SIG_UNBLOCK, set, 0, sizeof set);
  KERNEL3(SYS_tgkill, process, thread, number);
  KERNEL4(SYS_rt_sigaction, number, usual, 0, sizeof set);
  KERNEL3(SYS_tgkill, process, thread, number);
  psychic_end(127);
}

_Noreturn void psychic_abort(void) { end_by(SIGABRT); }

/* Called for a division by a constant zero (compile/divisions.rs), which otherwise means
 * nothing. */
_Noreturn void __ubsan_handle_divrem_overflow_minimal_abort(void) { end_by(SIGFPE); }

int psychic_setvbuf(FILE *, char *, int, size_t) __asm__("_IO_setvbuf");

__attribute__((constructor)) static void show_everything_printed(void) {
  psychic_setvbuf(stdout, NULL, _IONBF, 0);
}

/* Standard output stays unbuffered, whatever the program asks for. */
static int buffer_by(FILE *stream, char *buffer, int mode, size_t size) {
  if (stream == stdout || stream == stderr)
    return mode == _IOFBF || mode == _IOLBF || mode == _IONBF ? 0 : EOF;
  return psychic_setvbuf(stream, buffer, mode, size);
}

UNLESS_DEFINED int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  return buffer_by(stream, buffer, mode, size);
}

UNLESS_DEFINED void setbuf(FILE *stream, char *buffer) {
  buffer_by(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
}

/* glibc's first `perror` changes errno unless standard error can also be read, as a terminal can. */
UNLESS_DEFINED void perror(const char *message) {
  int before = errno;
  void (*perror_of_libc)(const char *) = (void (*)(const char *))dlsym(RTLD_NEXT, "perror");
  errno = before;
  perror_of_libc(message);
  errno = before;
}

/* Runs before the program's constructors. Without a test, a person may want their own variables. */
static void come_first(void) {
  char **variables;
  psychic_environment(__environ);
  psychic_serve();
  if (!psychic_setting("KTEST_FILE"))
    return;
  variables = psychic_memory((psychic_variables(NULL) + 1) * sizeof *variables);
  psychic_variables(variables);
  __environ = variables;
}

/* Comes before constructors with a priority, of which the least is 101. */
__attribute__((section(".init_array.00100"), used)) static void (*const first)(void) = come_first;

#if !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)
/* Memory that was never written is zero, even if it was in use before. A program that has an
 * allocator of its own keeps it. */
void *__libc_calloc(size_t count, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

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
    copy_bytes(memory, old, known < size ? known : size);
    __libc_free(old);
  }
  return memory;
}

UNLESS_DEFINED void *memalign(size_t alignment, size_t size) {
  void *memory = __libc_memalign(alignment, size);
  if (memory)
    clear_bytes(memory, size);
  return memory;
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
  psychic_say((const char *[]){"Assertion `", assertion, "' failed.", NULL});
  end_by(SIGABRT);
}
