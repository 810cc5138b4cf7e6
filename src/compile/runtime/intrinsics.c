/* The native side of psychic.h and klee/klee.h: replays one .ktest file. */
#include "psychic.h"
#include "klee/klee.h"
#include "plain.h"
#include "surroundings.h"

struct object {
  struct object *next;
  const char *name;
  uint32_t name_size;
  const unsigned char *bytes;
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

static _Noreturn void fail(const char *what, const char *which) {
  psychic_say((const char *[]){"psychic: ", what, " ", which, NULL});
  psychic_end(PSYCHIC_ASSUMPTION_VIOLATED + 1);
}

/* The rest of a file that is being read. */
struct reader {
  const char *path;
  const unsigned char *bytes;
  size_t left;
};

static const unsigned char *read_bytes(struct reader *reader, size_t size) {
  const unsigned char *bytes = reader->bytes;
  if (reader->left < size)
    fail("cut short:", reader->path);
  reader->bytes += size;
  reader->left -= size;
  return bytes;
}

static uint32_t read_number(struct reader *reader) {
  const unsigned char *bytes = read_bytes(reader, 4);
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Reads the format of KLEE's lib/Basic/KTest.cpp, versions 1 to 3. */
static void load_objects(void) {
  struct reader reader = {psychic_setting("KTEST_FILE"), NULL, 0};
  uint32_t version, count, i;

  objects_loaded = 1;
  if (!reader.path || !*reader.path)
    return;
  reader.bytes = psychic_file(reader.path, &reader.left);
  if (!same_bytes(read_bytes(&reader, 5), "KTEST", 5))
    fail("not a .ktest file:", reader.path);
  version = read_number(&reader);
  if (version > 3)
    fail("a .ktest file of a later version than 3:", reader.path);
  count = read_number(&reader);
  for (i = 0; i < count; i++)
    read_bytes(&reader, read_number(&reader));
  if (version >= 2)
    read_bytes(&reader, 8);
  count = read_number(&reader);
  for (i = 0; i < count; i++) {
    struct object *object = psychic_memory(sizeof *object);
    object->name_size = read_number(&reader);
    object->name = (const char *)read_bytes(&reader, object->name_size);
    object->size = read_number(&reader);
    object->bytes = read_bytes(&reader, object->size);
    object->next = objects;
    objects = object;
  }
}

static int is_used(const char *name) {
  struct used_name *used;
  for (used = used_names; used; used = used->next)
    if (same_text(used->name, name))
      return 1;
  return 0;
}

/* Writes NUMBER in decimal digits. */
static void write_number(char *to, unsigned number) {
  char digits[12];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  while (count)
    *to++ = digits[--count];
  *to = 0;
}

/* The first of NAME, NAME_1, NAME_2, ... that no earlier object has. This is KLEE's rule, so
 * that its own .ktest files fit. */
static const char *unique_name(const char *name) {
  struct used_name *used = psychic_memory(sizeof *used);
  size_t length = length_of(name);
  unsigned suffix = 0;
  used->name = psychic_memory(length + 12);
  copy_bytes(used->name, name, length);
  while (is_used(used->name)) {
    used->name[length] = '_';
    write_number(used->name + length + 1, ++suffix);
  }
  used->next = used_names;
  used_names = used;
  return used->name;
}

/* Finds an object by name, not by position as libkleeRuntest does: revisions that share a test
 * may ask for its objects in different orders, or not at all. Returns whether the test has it. */
static int fill(void *address, size_t size, const char *name) {
  const char *unique = unique_name(name ? name : "unnamed");
  struct object *object;
  if (!objects_loaded)
    load_objects();
  clear_bytes(address, size);
  for (object = objects; object; object = object->next)
    if (object->name_size == length_of(unique) &&
        same_bytes(object->name, unique, object->name_size)) {
      copy_bytes(address, object->bytes, object->size < size ? object->size : size);
      return 1;
    }
  return 0;
}

static void assume(int condition) {
  if (condition)
    return;
  psychic_say((const char *[]){"psychic: a violated assumption", NULL});
  psychic_end(PSYCHIC_ASSUMPTION_VIOLATED);
}

/* The revision that runs, once it is known. */
static int revision = -1;

void psychic_run_revision(int running) { revision = running; }

int psychic_rev(void) {
  if (revision < 0) {
    const char *text = psychic_setting("PSYCHIC_REVISION");
    revision = 0;
    for (; text && *text >= '0' && *text <= '9'; text++)
      revision = 10 * revision + (*text - '0');
  }
  return revision;
}

void psychic_symbolic(void *address, size_t size, const char *name) { fill(address, size, name); }

void psychic_assume(int condition) { assume(condition); }

static void append_output(const char *name, const struct psychic_part *data, int count) {
  const char *path = psychic_setting("PSYCHIC_OUTPUTS");
  unsigned char length[8];
  struct psychic_part head[] = {{name, length_of(name) + 1}, {length, sizeof length}};
  uint64_t size = 0;
  int i;
  if (!path || !*path)
    return;
  for (i = 0; i < count; i++)
    size += data[i].size;
  for (i = 0; i < 8; i++)
    length[i] = (unsigned char)(size >> (8 * i));
  psychic_append(path, head, 2);
  psychic_append(path, data, count);
}

void psychic_output(const char *name, const void *data, size_t size) {
  append_output(name, (struct psychic_part[]){{data, size}}, 1);
}

static void output_numbers(const char *name, const void *data, size_t size, size_t each,
                           size_t shown, int is_nan(const unsigned char *), const void *nan) {
  size_t count = (size + each - 1) / each, i;
  struct psychic_part *parts = psychic_memory((count + 1) * sizeof *parts);
  for (i = 0; i < count; i++) {
    const unsigned char *number = (const unsigned char *)data + i * each;
    parts[i].bytes = is_nan(number) ? nan : number;
    parts[i].size = shown;
  }
  append_output(name, parts, (int)count);
}

static int is_nan_float(const unsigned char *number) {
  float value;
  copy_bytes(&value, number, sizeof value);
  return value != value;
}

static int is_nan_double(const unsigned char *number) {
  double value;
  copy_bytes(&value, number, sizeof value);
  return value != value;
}

static int is_nan_long_double(const unsigned char *number) {
  uint64_t fraction;
  copy_bytes(&fraction, number, sizeof fraction);
  return (number[9] & 0x7f) == 0x7f && number[8] == 0xff && fraction != (uint64_t)1 << 63;
}

void psychic_output_float(const char *name, const void *data, size_t size) {
  output_numbers(name, data, size, 4, 4, is_nan_float, "\0\0\xc0\x7f");
}

void psychic_output_double(const char *name, const void *data, size_t size) {
  output_numbers(name, data, size, 8, 8, is_nan_double, "\0\0\0\0\0\0\xf8\x7f");
}

void psychic_output_long_double(const char *name, const void *data, size_t size) {
  output_numbers(name, data, size, 16, 10, is_nan_long_double, "\0\0\0\0\0\0\0\xc0\xff\x7f");
}

/* Calls of these are inserted by compile/probes.rs: they show the numbers at an offset of an object,
 * and an empty value where the object is at NULL or cannot be read. */
static void probe(const char *name, const char *object, size_t offset, size_t size,
                  void output(const char *, const void *, size_t)) {
  char copy[4096];
  if (!object || !psychic_copy(copy, object + offset, size))
    size = 0;
  output(name, copy, size);
}

void psychic_probe(const char *name, const void *object, size_t offset, size_t size) {
  probe(name, object, offset, size, psychic_output);
}

void psychic_probe_float(const char *name, const void *object, size_t offset, size_t size) {
  probe(name, object, offset, size, psychic_output_float);
}

void psychic_probe_double(const char *name, const void *object, size_t offset, size_t size) {
  probe(name, object, offset, size, psychic_output_double);
}

void psychic_probe_long_double(const char *name, const void *object, size_t offset, size_t size) {
  probe(name, object, offset, size, psychic_output_long_double);
}

long psychic_offset(const void *pointer, const void *base, size_t size) {
  uintptr_t distance = (uintptr_t)pointer - (uintptr_t)base;
  return distance <= size ? (long)distance : -1;
}

void psychic_unknown(const char *why) { (void)why; }

int __klee_meta(int location) {
  (void)location;
  return psychic_rev();
}

void klee_make_symbolic(void *address, size_t size, const char *name) { fill(address, size, name); }

int klee_range(int begin, int end, const char *name) {
  int value;
  /* A revision that left the recorded path may ask for an object that the test does not have.
   * Any value in the range will do, and 0 may not be in it. */
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

void klee_silent_exit(int status) { psychic_end(status); }

void klee_abort(void) { psychic_abort(); }

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)file;
  (void)line;
  psychic_say((const char *[]){message, " (", suffix, ")", NULL});
  psychic_abort();
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

/* Touches both ends, which a sanitizer or the hardware can check natively. */
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
