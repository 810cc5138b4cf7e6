/* The surroundings of the intrinsics by way of the kernel alone. A program may have functions of its
 * own with the names of those in the C library, and errno is the program's.
 */
#define _GNU_SOURCE
#include "surroundings.h"
#include "kernel.h"
#include "plain.h"
#include "psychic.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

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
  if (size > (size_t)(end - next)) {
    size_t chunk = size < 1 << 16 ? 1 << 16 : size;
    long mapped = kernel(SYS_mmap, 0, (long)chunk, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped < 0 && mapped > -4096)
      fail("out of memory for", "a test");
    next = (char *)mapped;
    end = next + chunk;
  }
  memory = next;
  next += size;
  return memory;
}
#endif

const unsigned char *psychic_file(const char *path, size_t *size) {
  long fd = KERNEL3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
  unsigned char *bytes;
  struct stat status = {0};
  size_t done = 0;
  long count;
  if (fd < 0 || KERNEL2(SYS_fstat, fd, &status) < 0)
    fail("cannot open", path);
  *size = (size_t)status.st_size;
  bytes = psychic_memory(*size);
  while (done < *size && (count = KERNEL3(SYS_read, fd, bytes + done, *size - done)) > 0)
    done += (size_t)count;
  if (done < *size)
    fail("cannot read", path);
  KERNEL1(SYS_close, fd);
  return bytes;
}

/* Through a pipe: the kernel says what cannot be read, and no sanitizer sees it read. */
int psychic_copy(void *to, const void *from, size_t size) {
  int ends[2] = {-1, -1}, is_whole;
  if (KERNEL1(SYS_pipe, ends) < 0)
    return 0;
  is_whole = KERNEL3(SYS_write, ends[1], from, size) == (long)size &&
             KERNEL3(SYS_read, ends[0], to, size) == (long)size;
  KERNEL1(SYS_close, ends[0]);
  KERNEL1(SYS_close, ends[1]);
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

static void write_all(long fd, const char *bytes, size_t size) {
  long count;
  for (; size && (count = KERNEL3(SYS_write, fd, bytes, size)) > 0; size -= (size_t)count)
    bytes += count;
}

void psychic_append(const char *path, const struct psychic_part *parts, size_t count) {
  long fd = KERNEL3(SYS_open, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    fail("cannot append to", path);
  for (; count; count--, parts++) {
    look_at(parts->bytes, parts->size);
    write_all(fd, parts->bytes, parts->size);
  }
  KERNEL1(SYS_close, fd);
}

void psychic_say(const char *const *texts) {
  for (; *texts; texts++)
    write_all(2, *texts, length_of(*texts));
  write_all(2, "\n", 1);
}

_Noreturn void psychic_end(int status) {
  for (;;)
    KERNEL1(SYS_exit_group, status);
}
