/* Linked into programs under a sanitizer, so that they do what plain ones do and are watched as
 * closely as the engine watches.
 */
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define _GNU_SOURCE
#include "surroundings.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* The kernel puts these texts side by side, where no sanitizer watches. Moves each text, and the
 * pointers to them, to memory of their own, of exactly their size. */
static char **apart(char **texts) {
  size_t count = 0, index;
  char **copies;
  while (texts[count])
    count++;
  copies = psychic_memory((count + 1) * sizeof *copies);
  for (index = 0; index < count; index++) {
    size_t size = strlen(texts[index]) + 1;
    copies[index] = memcpy(psychic_memory(size), texts[index], size);
  }
  return copies;
}

int __real_main(int argc, char **argv, char **envp);

/* Linked with --wrap=main. */
int __wrap_main(int argc, char **argv, char **envp) {
  (void)envp;
  __environ = apart(__environ);
  return __real_main(argc, apart(argv), __environ);
}

#define UNWATCHED __attribute__((no_sanitize("address", "memory")))

/* Tells the sanitizer that the C library has written these bytes. */
UNWATCHED static void written(void *bytes, size_t size) {
#if __has_feature(address_sanitizer)
  void __asan_storeN(uintptr_t address, uintptr_t size);
  __asan_storeN((uintptr_t)bytes, size);
#else
  void __msan_unpoison(const volatile void *address, size_t size);
  __msan_unpoison(bytes, size);
#endif
}

UNWATCHED static size_t size_of_text(const void *text, int wide) {
  size_t count = 0;
  while (wide ? ((const wchar_t *)text)[count] : ((const char *)text)[count])
    count++;
  return (count + 1) * (wide ? sizeof(wchar_t) : 1);
}

/* Tells the sanitizer what COUNT conversions have written. The sanitizers' own functions assume
 * the longest text that a conversion may read, not the one that it did read. */
UNWATCHED static void written_by_scanf(int count, const char *format, va_list to) {
  while (count > 0 && *format) {
    int suppressed = 0, wide = 0, halves = 0, longs = 0, allocates = 0;
    size_t width = 0, size;
    char conversion;
    void *place;
    if (*format++ != '%')
      continue;
    if (*format == '%') {
      format++;
      continue;
    }
    for (; *format == '*'; format++)
      suppressed = 1;
    for (; *format >= '0' && *format <= '9'; format++)
      width = width * 10 + (size_t)(*format - '0');
    if (*format == '$')
      return;
    for (; *format && strchr("hlqLjztm", *format); format++) {
      halves += *format == 'h';
      allocates |= *format == 'm';
      longs += *format == 'q' || *format == 'L' ? 2 : strchr("ljzt", *format) != NULL;
    }
    conversion = *format ? *format++ : 0;
    wide = longs || conversion == 'S' || conversion == 'C';
    if (conversion == '[') {
      format += *format == '^';
      format += *format == ']';
      while (*format && *format != ']')
        format++;
      format += *format == ']';
    }
    if (suppressed)
      continue;
    place = va_arg(to, void *);
    count -= conversion != 'n';
    switch (allocates ? 'p' : conversion) {
    case 's': case 'S': case '[':
      size = size_of_text(place, wide);
      break;
    case 'c': case 'C':
      size = (width ? width : 1) * (wide ? sizeof(wchar_t) : 1);
      break;
    case 'p':
      size = sizeof(void *);
      break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
      size = longs > 1 ? sizeof(long double) : longs ? sizeof(double) : sizeof(float);
      break;
    default:
      size = longs ? sizeof(long) : sizeof(int) >> (halves > 2 ? 2 : halves);
    }
    written(place, size);
    if (allocates && (conversion == 's' || conversion == '['))
      written(*(char **)place, size_of_text(*(char **)place, wide));
  }
}

/* The C library's own function, past the sanitizer's. */
#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static int scan(const char *real, void *source, const char *format, va_list to) {
  int count;
  va_list again;
  va_copy(again, to);
  count = REAL(int (*)(void *, const char *, va_list), real)(source, format, to);
  written_by_scanf(count, format, again);
  va_end(again);
  return count;
}

/* Each function has two names, for two versions of C. */
#define SCANS(name, real, source, ...)                                                             \
  int psychic_##name(__VA_ARGS__) __asm__(#name);                                                  \
  int psychic_##name(__VA_ARGS__) {                                                                \
    int count;                                                                                     \
    va_list to;                                                                                    \
    va_start(to, format);                                                                          \
    count = scan(real, source, format, to);                                                        \
    va_end(to);                                                                                    \
    return count;                                                                                  \
  }
SCANS(scanf, "vfscanf", stdin, const char *format, ...)
SCANS(fscanf, "vfscanf", file, FILE *file, const char *format, ...)
SCANS(sscanf, "vsscanf", (void *)text, const char *text, const char *format, ...)
SCANS(__isoc99_scanf, "__isoc99_vfscanf", stdin, const char *format, ...)
SCANS(__isoc99_fscanf, "__isoc99_vfscanf", file, FILE *file, const char *format, ...)
SCANS(__isoc99_sscanf, "__isoc99_vsscanf", (void *)text, const char *text, const char *format, ...)

typedef int comparison(const void *, const void *);

#if __has_feature(address_sanitizer)
void __asan_poison_memory_region(const volatile void *address, size_t size);
const unsigned short **__real___ctype_b_loc(void);

/* Linked with --wrap=__ctype_b_loc. The table that `isdigit` and the like look into, with
 * nothing around it wherever an `int` may index: in the program's own memory anything could be
 * there. */
const unsigned short **__wrap___ctype_b_loc(void) {
  enum { FIRST = -128, COUNT = 384, PAGE = 4096 };
  static const unsigned short *origin;
  if (!origin) {
    const size_t half = ((size_t)1 << 31) * sizeof *origin, size = COUNT * sizeof *origin;
    char *all = mmap(NULL, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(all + half - PAGE, 2 * PAGE, PROT_READ | PROT_WRITE))
      return __real___ctype_b_loc();
    origin = (const unsigned short *)(all + half);
    memcpy(all + half + FIRST * (int)sizeof *origin, *__real___ctype_b_loc() + FIRST, size);
    __asan_poison_memory_region(all + half - PAGE, PAGE + FIRST * (int)sizeof *origin);
    __asan_poison_memory_region(origin + FIRST + COUNT, PAGE - (FIRST + COUNT) * sizeof *origin);
  }
  return &origin;
}

/* A variable, as clang describes it to the sanitizer. */
struct global {
  uintptr_t start, size, size_with_gap, others[5];
};
void __asan_unpoison_memory_region(const volatile void *address, size_t size);
void __real___asan_register_elf_globals(uintptr_t *, const struct global *, const struct global *);

/* Linked with --wrap=__asan_register_elf_globals. The sanitizer watches what is behind a
 * variable, but what is in front of it only if another one comes before it. So that is marked
 * here. */
UNWATCHED void __wrap___asan_register_elf_globals(uintptr_t *done, const struct global *first,
                                                  const struct global *end) {
  const struct global *global;
  int is_new = !*done;
  __real___asan_register_elf_globals(done, first, end);
  for (global = first; is_new && global < end; global++)
    __asan_poison_memory_region((char *)global->start - 32, 32);
  for (global = first; is_new && global < end; global++)
    __asan_unpoison_memory_region((char *)global->start, global->size);
}

/* The sanitizer's own function compares neighbours first, and a program may show which elements
 * are compared. */
void qsort(void *base, size_t count, size_t size, comparison *compare) {
  if (count > 1)
    written(base, count * size);
  REAL(void (*)(void *, size_t, size_t, comparison *), "qsort")(base, count, size, compare);
}
#else
/* Returned in the register of an `int`, but callers do not assume that it was initialised. */
struct result {
  int value;
};
typedef struct result outcome(const void *, const void *);

static void sort(char *base, size_t count, size_t size, outcome *compare, char *spare) {
  size_t one = count / 2, other = count - one, at = 0;
  char *first = base, *second = base + one * size;
  if (count < 2)
    return;
  sort(first, one, size, compare, spare);
  sort(second, other, size, compare, spare);
  while (one && other) {
    int is_first = compare(first, second).value <= 0;
    char **from = is_first ? &first : &second;
    memcpy(spare + at, *from, size);
    at += size;
    *from += size;
    is_first ? one-- : other--;
  }
  memcpy(spare + at, first, one * size);
  memcpy(base, spare, at + one * size);
}

/* The sanitizer's own function checks neither what is sorted nor what a comparison returns. This
 * one merges as the C library does (up to 2.36). */
void qsort(void *base, size_t count, size_t size, comparison *compare) {
  size_t bytes = count * size;
  char *spare = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
  if (spare == MAP_FAILED)
    abort();
  sort(base, count, size, (outcome *)compare, spare);
  munmap(spare, bytes ? bytes : 1);
}

/* The sanitizer's own functions copy texts without checking the bytes that decide where these
 * end, or check only their ends. */
char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

char *strcpy(char *to, const char *from) {
  stpcpy(to, from);
  return to;
}

char *stpncpy(char *to, const char *from, size_t size) {
  char *end;
  for (; size && (*to = *from); size--) {
    to++;
    from++;
  }
  for (end = to; size; size--)
    *end++ = 0;
  return to;
}

char *strncpy(char *to, const char *from, size_t size) {
  stpncpy(to, from, size);
  return to;
}

char *strcat(char *to, const char *from) {
  stpcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, size_t size) {
  char *end = to + strlen(to);
  for (; size && (*end = *from); size--) {
    end++;
    from++;
  }
  *end = 0;
  return to;
}

/* The sanitizer's own functions do not check the digits of numbers, nor what ends them. */
void __msan_check_mem_is_initialized(const volatile void *bytes, size_t size);

#define NUMBERS(type, name, real, ...)                                                             \
  type name(const char *text, char **end __VA_OPT__(, ) __VA_ARGS__) {                             \
    char *behind;                                                                                  \
    type value = REAL(type(*)(const char *, char **__VA_OPT__(, int)), #name)real;                 \
    written(&behind, sizeof behind);                                                               \
    __msan_check_mem_is_initialized(text, (size_t)(behind - text) + 1);                            \
    if (end)                                                                                       \
      *end = behind;                                                                               \
    return value;                                                                                  \
  }
NUMBERS(long, strtol, (text, &behind, base), int base)
NUMBERS(long long, strtoll, (text, &behind, base), int base)
NUMBERS(unsigned long, strtoul, (text, &behind, base), int base)
NUMBERS(unsigned long long, strtoull, (text, &behind, base), int base)
NUMBERS(float, strtof, (text, &behind))
NUMBERS(double, strtod, (text, &behind))
NUMBERS(long double, strtold, (text, &behind))

int atoi(const char *text) {
  return (int)strtol(text, NULL, 10);
}

long atol(const char *text) {
  return strtol(text, NULL, 10);
}

long long atoll(const char *text) {
  return strtoll(text, NULL, 10);
}

double atof(const char *text) {
  return strtod(text, NULL);
}

/* The sanitizer's own function checks texts only if none of its other functions has called it. */
#define PRINTS(name, print, ...)                                                                   \
  int name(__VA_ARGS__) {                                                                          \
    int count;                                                                                     \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    count = print;                                                                                 \
    va_end(values);                                                                                \
    return count;                                                                                  \
  }
PRINTS(printf, vprintf(format, values), const char *format, ...)
PRINTS(fprintf, vfprintf(file, format, values), FILE *file, const char *format, ...)
PRINTS(sprintf, vsprintf(to, format, values), char *to, const char *format, ...)
PRINTS(snprintf, vsnprintf(to, size, format, values), char *to, size_t size, const char *format, ...)
#endif

/* MemorySanitizer's own function takes what was read for written only up to the first NUL, and
   AddressSanitizer has none. */
char *fgets(char *line, int size, FILE *file) {
  int count = 0, byte = 0;
  if (size <= 0)
    return NULL;
  while (count < size - 1 && byte != '\n' && (byte = getc(file)) != EOF)
    line[count++] = (char)byte;
  if (byte == EOF && (!count || ferror(file)))
    return NULL;
  line[count] = 0;
  return line;
}

/* Neither sanitizer has a function for this. */
char *gets(char *line) {
  size_t count = 0;
  int byte;
  while ((byte = getchar()) != EOF && byte != '\n')
    line[count++] = (char)byte;
  if (byte == EOF && (!count || ferror(stdin)))
    return NULL;
  line[count] = 0;
  return line;
}
#endif
