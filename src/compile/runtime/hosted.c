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
#include "plain.h"
#include "psychic.h"
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A program may have functions of its own with the names of those in <unistd.h> and <stdio.h>: the
 * kernel is called without them. */
static void write_all(long file, const void *bytes, size_t size) {
  const char *next = bytes;
  while (size) {
    long written = syscall(SYS_write, file, next, size);
    if (written <= 0)
      break;
    next += written;
    size -= (size_t)written;
  }
}

static void close_file(long file) { syscall(SYS_close, file); }

static _Noreturn void fail(const char *what, const char *which) {
  psychic_say((const char *[]){"psychic: ", what, " ", which, NULL});
  psychic_end(PSYCHIC_ASSUMPTION_VIOLATED + 1);
}

#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
/* The sanitizer watches the ends of each part. */
void *psychic_memory(size_t size) {
  void *memory = calloc(size ? size : 1, 1);
  if (!memory)
    fail("out of memory for", "a test");
  return memory;
}
#else
void *psychic_memory(size_t size) {
  static char *next, *end;
  char *memory;
  size = (size + 15) & ~(size_t)15;
  if ((size_t)(end - next) < size) {
    size_t room = size > 1 << 16 ? size : 1 << 16;
    long pages =
        syscall(SYS_mmap, NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if (pages == -1)
      fail("out of memory for", "a test");
    next = (char *)pages;
    end = next + room;
  }
  memory = next;
  next += size;
  return memory;
}
#endif

const unsigned char *psychic_file(const char *path, size_t *size) {
  long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), end, count;
  unsigned char *bytes;
  size_t done = 0;
  if (file < 0 || (end = syscall(SYS_lseek, file, 0L, SEEK_END)) < 0)
    fail("cannot open", path);
  syscall(SYS_lseek, file, 0L, SEEK_SET);
  *size = (size_t)end;
  bytes = psychic_memory(*size);
  while (done < *size && (count = syscall(SYS_read, file, bytes + done, *size - done)) > 0)
    done += (size_t)count;
  if (done < *size)
    fail("cannot read", path);
  close_file(file);
  return bytes;
}

/* Through a pipe: the kernel says what cannot be read, and no sanitizer sees it read. */
int psychic_copy(void *to, const void *from, size_t size) {
  int before = errno, ends[2] = {-1, -1}, is_whole = 0;
  if (syscall(SYS_pipe2, ends, 0) == 0) {
    is_whole = syscall(SYS_write, ends[1], from, size) == (long)size &&
               syscall(SYS_read, ends[0], to, size) == (long)size;
    close_file(ends[0]);
    close_file(ends[1]);
  }
  errno = before;
  return is_whole;
}

/* Has the sanitizer look at bytes that the kernel is to read, which it does not watch. */
static void look_at(const void *bytes, size_t size) {
#if __has_feature(address_sanitizer)
  size_t i;
  for (i = 0; i < size; i++)
    (void)((const volatile char *)bytes)[i];
#elif __has_feature(memory_sanitizer)
  void __msan_check_mem_is_initialized(const volatile void *bytes, size_t size);
  __msan_check_mem_is_initialized(bytes, size);
#else
  (void)bytes, (void)size;
#endif
}

void psychic_append(const char *path, const struct psychic_part *parts, size_t count) {
  int before = errno;
  long flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  long file = syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
  if (file < 0)
    fail("cannot append to", path);
  for (; count; count--, parts++) {
    look_at(parts->bytes, parts->size);
    write_all(file, parts->bytes, parts->size);
  }
  close_file(file);
  errno = before;
}

void psychic_say(const char *const *texts) {
  for (; *texts; texts++)
    write_all(2, *texts, length_of(*texts));
  write_all(2, "\n", 1);
}

_Noreturn void psychic_end(int status) {
  syscall(SYS_exit_group, status);
  __builtin_trap();
}

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
  abort();
}
