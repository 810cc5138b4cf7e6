/* The native side of psychic.h and klee/klee.h: replays one .ktest file.
 *
 * Nothing here may print to stdout or change what the subject can see of itself, except where
 * that makes runs comparable: stdout is unbuffered, so that what was printed before a crash is
 * seen, and a failed assertion does not name file and line, which differ between the meta
 * program and a patched source.
 */
#include "psychic.h"
#include "klee/klee.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct object {
  struct object *next;
  char *name;
  unsigned char *bytes;
  uint32_t size;
};

static struct object *objects;
static int objects_loaded;

/* Names are kept for the whole run: a later object may ask for any of them. */
struct used_name {
  struct used_name *next;
  char *name;
};

static struct used_name *used_names;

static void fail(const char *what, const char *which) {
  fprintf(stderr, "psychic: %s %s\n", what, which);
  _Exit(PSYCHIC_ASSUMPTION_VIOLATED + 1);
}

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory)
    fail("out of memory for", "a test");
  return memory;
}

static uint32_t read_number(FILE *file, const char *path) {
  unsigned char bytes[4];
  if (fread(bytes, 1, 4, file) != 4)
    fail("cut short:", path);
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static unsigned char *read_bytes(FILE *file, uint32_t size, const char *path) {
  unsigned char *bytes = allocate((size_t)size + 1);
  if (fread(bytes, 1, size, file) != size)
    fail("cut short:", path);
  bytes[size] = 0;
  return bytes;
}

/* KLEE's lib/Basic/KTest.cpp, versions 1 to 3. */
static void load_objects(void) {
  const char *path = getenv("KTEST_FILE");
  FILE *file;
  char magic[5];
  uint32_t version, count, i;

  objects_loaded = 1;
  if (!path || !*path)
    return;
  file = fopen(path, "rb");
  if (!file)
    fail("cannot open", path);
  if (fread(magic, 1, 5, file) != 5 || memcmp(magic, "KTEST", 5) != 0)
    fail("not a .ktest file:", path);
  version = read_number(file, path);
  if (version > 3)
    fail("a .ktest file of a later version than 3:", path);
  count = read_number(file, path);
  for (i = 0; i < count; i++)
    free(read_bytes(file, read_number(file, path), path));
  if (version >= 2) {
    read_number(file, path);
    read_number(file, path);
  }
  count = read_number(file, path);
  for (i = 0; i < count; i++) {
    struct object *object = allocate(sizeof *object);
    object->name = (char *)read_bytes(file, read_number(file, path), path);
    object->size = read_number(file, path);
    object->bytes = read_bytes(file, object->size, path);
    object->next = objects;
    objects = object;
  }
  fclose(file);
}

static int is_used(const char *name) {
  struct used_name *used;
  for (used = used_names; used; used = used->next)
    if (strcmp(used->name, name) == 0)
      return 1;
  return 0;
}

/* The first of NAME, NAME_1, NAME_2, ... that no earlier object has: KLEE's rule, so that its
 * own .ktest files fit. */
static const char *unique_name(const char *name) {
  struct used_name *used = allocate(sizeof *used);
  size_t room = strlen(name) + 12;
  unsigned suffix = 0;
  used->name = allocate(room);
  strcpy(used->name, name);
  while (is_used(used->name))
    snprintf(used->name, room, "%s_%u", name, ++suffix);
  used->next = used_names;
  used_names = used;
  return used->name;
}

/* By name, not by position as libkleeRuntest does: revisions that share a test may ask for its
 * objects in different orders, or not at all. */
static int fill(void *address, size_t size, const char *name) {
  const char *unique = unique_name(name ? name : "unnamed");
  struct object *object;
  if (!objects_loaded)
    load_objects();
  memset(address, 0, size);
  for (object = objects; object; object = object->next)
    if (strcmp(object->name, unique) == 0) {
      memcpy(address, object->bytes, object->size < size ? object->size : size);
      return 1;
    }
  return 0;
}

static void assume(int condition) {
  if (condition)
    return;
  fputs("psychic: a violated assumption\n", stderr);
  _Exit(PSYCHIC_ASSUMPTION_VIOLATED);
}

int psychic_rev(void) {
  static int revision = -1;
  if (revision < 0) {
    const char *text = getenv("PSYCHIC_REVISION");
    revision = text ? atoi(text) : 0;
    if (revision < 0)
      revision = 0;
  }
  return revision;
}

void psychic_symbolic(void *address, size_t size, const char *name) { fill(address, size, name); }

void psychic_assume(int condition) { assume(condition); }

void psychic_output(const char *name, const void *data, size_t size) {
  const char *path = getenv("PSYCHIC_OUTPUTS");
  unsigned char length[8];
  FILE *file;
  int i;
  if (!path || !*path)
    return;
  file = fopen(path, "ab");
  if (!file)
    fail("cannot append to", path);
  for (i = 0; i < 8; i++)
    length[i] = (unsigned char)((uint64_t)size >> (8 * i));
  fwrite(name, 1, strlen(name) + 1, file);
  fwrite(length, 1, sizeof length, file);
  fwrite(data, 1, size, file);
  fclose(file);
}

int __klee_meta(int location) {
  (void)location;
  return psychic_rev();
}

void klee_make_symbolic(void *address, size_t size, const char *name) { fill(address, size, name); }

int klee_range(int begin, int end, const char *name) {
  int value;
  /* A revision that left the recorded path may ask for an object the test does not have: any
   * value in the range will do, and 0 may be none. */
  if (!fill(&value, sizeof value, name) && (value < begin || value >= end))
    value = begin;
  assume(value >= begin && value < end);
  return value;
}

int klee_int(const char *name) {
  int value;
  fill(&value, sizeof value, name);
  return value;
}

uintptr_t klee_choose(uintptr_t n) {
  uintptr_t value;
  fill(&value, sizeof value, "klee_choose");
  assume(value < n);
  return value;
}

void klee_assume(uintptr_t condition) { assume(condition != 0); }

void klee_prefer_cex(void *object, uintptr_t condition) {
  (void)object;
  (void)condition;
}

void klee_posix_prefer_cex(void *object, uintptr_t condition) {
  (void)object;
  (void)condition;
}

void klee_silent_exit(int status) { _Exit(status); }

void klee_abort(void) { abort(); }

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)file;
  (void)line;
  fprintf(stderr, "%s (%s)\n", message, suffix);
  abort();
}

unsigned klee_is_symbolic(uintptr_t n) {
  (void)n;
  return 0;
}

unsigned klee_is_replay(void) { return 1; }

size_t klee_get_obj_size(void *object) {
  (void)object;
  return 0;
}

void klee_print_expr(const char *message, ...) { (void)message; }

void klee_print_range(const char *name, int value) {
  (void)name;
  (void)value;
}

void klee_warning(const char *message) { (void)message; }

void klee_warning_once(const char *message) { (void)message; }

void klee_stack_trace(void) {}

float klee_get_valuef(float expression) { return expression; }

double klee_get_valued(double expression) { return expression; }

long klee_get_valuel(long expression) { return expression; }

long long klee_get_valuell(long long expression) { return expression; }

int32_t klee_get_value_i32(int32_t expression) { return expression; }

int64_t klee_get_value_i64(int64_t expression) { return expression; }

/* Touches both ends, which is what a sanitizer or the hardware can check natively. */
void klee_check_memory_access(const void *address, size_t size) {
  const volatile char *bytes = address;
  if (size) {
    (void)bytes[0];
    (void)bytes[size - 1];
  }
}

void klee_mark_global(void *object) { (void)object; }

void klee_define_fixed_object(void *address, size_t size) {
  (void)address;
  (void)size;
}

void klee_set_forking(unsigned enable) { (void)enable; }

void klee_alias_function(const char *function, const char *replacement) {
  (void)function;
  (void)replacement;
}

void klee_open_merge(void) {}

void klee_close_merge(void) {}

__attribute__((constructor)) static void show_everything_printed(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
}

_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line,
                             const char *function) {
  (void)file;
  (void)line;
  (void)function;
  fprintf(stderr, "Assertion `%s' failed.\n", assertion);
  abort();
}
