/* The functions that code calls after AddressSanitizer's pass (LLVM 19; Serebryany et al.,
 * "AddressSanitizer: a fast address sanity checker", ATC 2012), for native runs of whole programs:
 * there is no libc below them, so the sanitizer's own library cannot be used.
 *
 * Each 8 bytes of memory have a shadow byte: 0 if all of them may be accessed, 1 to 7 if only the
 * first so many may, and a negative mark, which says why, if none may. This file has the marks of
 * the allocator, of globals and of frames, which are never reused, and the report. Copies of the
 * arguments end where their text ends. Memory that the program gives to the kernel is checked in
 * read and write.
 */
#define _GNU_SOURCE
#include "surroundings.h"
#include "kernel.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define GRANULE 8
#define SHADOW_START 0x7fff8000UL
#define SHADOW_END (SHADOW_START + (1UL << 44))
#define SHADOW(address) ((signed char *)(((uintptr_t)(address) >> 3) + SHADOW_START))
/* All memory that a program allocates is here, one object behind the other, and never reused. */
#define HEAP 0x600000000000UL
#define HEAP_END (HEAP + (1UL << 36))
/* So many bytes around an object belong to no other object. */
#define GAP 512
/* Globals begin at multiples of this, once they are placed (compile/whole/program.rs). */
#define APART 2048
/* At least so many bytes behind the last object are marked already. */
#define AHEAD (1UL << 16)
#define LARGEST (1UL << 30)
#define FRAMES (256UL << 20)
#define REPORTED 99

/* The marks that the pass knows: it marks frames and checks marks itself. */
enum {
  GLOBAL = 0xf9,
  BESIDE_HEAP = 0xfa,
  FREED = 0xfd,
  FRAME_LEFT_BEHIND = 0xf5,
  OUT_OF_SCOPE = 0xf8,
  ARRAY_LEFT = 0xca,
  ARRAY_RIGHT = 0xcb,
};

static uintptr_t heap_next = HEAP + AHEAD, heap_marked = HEAP;

/* ---- The report ---- */

static _Noreturn void report(const char *what, uintptr_t address) {
  static const char option[] = "log_path=", process[] = ".1";
  char path[512] = "", number[17], *digit = number + sizeof number - 1;
  const char *settings = psychic_setting("ASAN_OPTIONS");
  const char *start = settings ? strstr(settings, option) : NULL;
  size_t length = start ? strcspn(start += sizeof option - 1, ":") : sizeof path;
  for (*digit = 0; digit > number; address >>= 4)
    *--digit = "0123456789abcdef"[address & 15];
  if (length + sizeof process < sizeof path) {
    struct psychic_part parts[] = {
        {"==1==ERROR: AddressSanitizer: ", 30}, {what, strlen(what)},
        {" on address 0x", 14},                 {number, 16},
        {"\n", 1},
    };
    memcpy(path, start, length);
    strcpy(path + length, process);
    psychic_append(path, parts, sizeof parts / sizeof *parts);
  }
  psychic_end(REPORTED);
}

static _Noreturn void report_access(uintptr_t address) {
  const signed char *shadow = SHADOW(address);
  /* Behind the end of an object, the next granule says what is there. */
  unsigned char mark = (unsigned char)(*shadow >= 0 ? shadow[1] : *shadow);
  switch (mark) {
  case FREED:
    report("heap-use-after-free", address);
  case BESIDE_HEAP:
    report("heap-buffer-overflow", address);
  case GLOBAL:
    report("global-buffer-overflow", address);
  case FRAME_LEFT_BEHIND:
    report("stack-use-after-return", address);
  case OUT_OF_SCOPE:
    report("stack-use-after-scope", address);
  default:
    report("stack-buffer-overflow", address);
  }
}

/* The kernel's own struct sigaction. */
struct action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void *restorer;
  unsigned long mask;
};
#define WITH_RESTORER 0x04000000

/* Reports an access through a pointer to nowhere. Null is left to the processor, whose signal is
   the outcome. */
static void on_fault(int number, siginfo_t *info, void *context) {
  static const struct action by_default;
  uintptr_t address = (uintptr_t)info->si_addr;
  (void)context;
  /* If it cannot be an address at all, the kernel says so, but not which it was. */
  if (address >= 4096 || info->si_code == SI_KERNEL)
    report("unknown-crash", address);
  KERNEL4(SYS_rt_sigaction, number, &by_default, NULL, sizeof by_default.mask);
  KERNEL2(SYS_tkill, KERNEL1(SYS_gettid, 0), number);
}

/* ---- Marks ---- */

static void mark(uintptr_t address, size_t size, int value) {
  memset(SHADOW(address), value, size / GRANULE);
}

/* Lets `size` bytes be accessed from `address` on, and no more up to `end`. Both addresses begin
   a granule. */
static void mark_object(uintptr_t address, size_t size, uintptr_t end, int value) {
  mark(address, size, 0);
  mark(address + size / GRANULE * GRANULE, end - (address + size / GRANULE * GRANULE), value);
  if (size % GRANULE)
    *SHADOW(address + size) = (signed char)(size % GRANULE);
}

static int may_access(uintptr_t address) {
  signed char shadow = *SHADOW(address);
  return shadow == 0 || (signed char)(address % GRANULE) < shadow;
}

static void check(const void *memory, size_t size) {
  uintptr_t address = (uintptr_t)memory, end = address + size;
  /* The access itself fails if it cannot be an address. */
  if (!size || address < 4096 || end < address || end > 1UL << 47)
    return;
  for (; address < end; address = (address / GRANULE + 1) * GRANULE)
    if (!may_access(address))
      report_access(address);
  if (!may_access(end - 1))
    report_access(end - 1);
}

/* ---- The allocator, as scripts/musl-whole/allocate.c wants it ---- */

struct header {
  size_t size;
  /* Made from the object's own address, so that no data look like it. */
  uintptr_t seal;
};
#define LIVE 0x5ea1ed0b1ec70001UL
#define DEAD 0x5ea1ed0b1ec70002UL

static struct header *header(uintptr_t object) { return (struct header *)object - 1; }

static struct header *live(void *p) {
  uintptr_t object = (uintptr_t)p;
  if (object < HEAP + AHEAD || object >= heap_next || object % 16 ||
      (header(object)->seal != (object ^ LIVE) && header(object)->seal != (object ^ DEAD)))
    report("attempting free on address which was not malloc()-ed", object);
  if (header(object)->seal == (object ^ DEAD))
    report("attempting double-free", object);
  return header(object);
}

void *plain_aligned_alloc(size_t alignment, size_t size) {
  uintptr_t object, end;
  if (alignment < 16)
    alignment = 16;
  if (alignment & (alignment - 1))
    return NULL;
  object = (heap_next + GAP + alignment - 1) & ~(alignment - 1);
  if (size > LARGEST || alignment > LARGEST || object + size + AHEAD > HEAP_END)
    return NULL;
  heap_next = (object + size + 15) & ~15UL;
  end = (heap_next + 2 * AHEAD) & ~(AHEAD - 1);
  if (end > heap_marked) {
    mark(heap_marked, end - heap_marked, BESIDE_HEAP);
    heap_marked = end;
  }
  mark_object(object, size, heap_next, BESIDE_HEAP);
  *header(object) = (struct header){size, object ^ LIVE};
  return (void *)object;
}

void *plain_malloc(size_t size) { return plain_aligned_alloc(16, size); }

size_t malloc_usable_size(void *p) { return p ? live(p)->size : 0; }

void free(void *p) {
  struct header *of;
  if (!p)
    return;
  of = live(p);
  of->seal = (uintptr_t)p ^ DEAD;
  mark((uintptr_t)p, (of->size + 15) & ~15UL, FREED);
}

/* ---- What the pass calls ---- */

void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}

struct global {
  uintptr_t start, size, size_with_gap;
  const char *name, *module;
  uintptr_t has_initialiser, place, indicator;
};

void __asan_register_globals(const struct global *globals, uintptr_t count) {
  const struct global *global, *end = globals + count;
  /* The bytes in front of each global are marked, too. */
  for (global = globals; global < end; global++)
    mark(global->start - 32, 32, GLOBAL);
  for (global = globals; global < end; global++) {
    uintptr_t behind = global->start + global->size_with_gap;
    uintptr_t next = (behind + APART - 1) / APART * APART;
    /* If the next global follows, nothing else lies between. */
    int is_next = *SHADOW(next - GRANULE) == (signed char)GLOBAL;
    mark_object(global->start, global->size, is_next ? next : behind, GLOBAL);
  }
}

void __asan_unregister_globals(const struct global *globals, uintptr_t count) {
  (void)globals, (void)count;
}

void __asan_register_elf_globals(uintptr_t *done, const struct global *start,
                                 const struct global *end) {
  if (!*done)
    __asan_register_globals(start, (uintptr_t)(end - start));
  *done = 1;
}

void __asan_unregister_elf_globals(uintptr_t *done, const struct global *start,
                                   const struct global *end) {
  (void)done, (void)start, (void)end;
}

void __asan_handle_no_return(void) {}

/* Leaves the frames in between. Most have no marks on the stack itself (see below). */
#define JUMP(name)                                                                                 \
  void __real_##name(long *place, int value);                                                      \
  void __wrap_##name(long *place, int value) {                                                     \
    enum { STACK_POINTER = 6, REGISTERS = 8 };                                                     \
    uintptr_t here = (uintptr_t)__builtin_frame_address(0) / GRANULE * GRANULE;                    \
    check(place, REGISTERS * sizeof *place);                                                       \
    mark(here, (uintptr_t)place[STACK_POINTER] - here, 0);                                         \
    __real_##name(place, value);                                                                   \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)

/* A frame that is never reused, as long as there is room. Its last word points to a byte that
   the pass's code clears when the frame is left. */
static uintptr_t frame(size_t size) {
  static size_t used;
  static char is_in_use;
  char *frame;
  if (used + size > FRAMES || !(frame = plain_aligned_alloc(64, size)))
    return 0;
  used += size;
  header((uintptr_t)frame)->seal = 0;
  *(char **)(frame + size - sizeof(char *)) = &is_in_use;
  return (uintptr_t)frame;
}

static void leave(uintptr_t frame, size_t size) { mark(frame, size, FRAME_LEFT_BEHIND); }

#define FRAMES_OF(class)                                                                           \
  uintptr_t __asan_stack_malloc_always_##class(size_t size) {                                      \
    (void)size;                                                                                    \
    return frame(64UL << class);                                                                   \
  }                                                                                                \
  void __asan_stack_free_##class(uintptr_t frame, size_t size) {                                   \
    (void)size;                                                                                    \
    leave(frame, 64UL << class);                                                                   \
  }
FRAMES_OF(0)
FRAMES_OF(1)
FRAMES_OF(2)
FRAMES_OF(3)
FRAMES_OF(4)
FRAMES_OF(5)
FRAMES_OF(6)
FRAMES_OF(7)
FRAMES_OF(8)
FRAMES_OF(9)
FRAMES_OF(10)

void __asan_set_shadow_00(uintptr_t shadow, size_t size) { memset((void *)shadow, 0, size); }
#define SET_SHADOW(value)                                                                          \
  void __asan_set_shadow_##value(uintptr_t shadow, size_t size) {                                  \
    memset((void *)shadow, 0x##value, size);                                                       \
  }
SET_SHADOW(f1)
SET_SHADOW(f2)
SET_SHADOW(f3)
SET_SHADOW(f5)
SET_SHADOW(f8)

/* Arrays of variable length have 32 marked bytes on both sides. */
void __asan_alloca_poison(uintptr_t array, size_t size) {
  uintptr_t end = (array + size + 31) & ~31UL;
  mark(array - 32, 32, ARRAY_LEFT);
  mark_object(array, size, end + 32, ARRAY_RIGHT);
}

void __asan_allocas_unpoison(uintptr_t top, uintptr_t bottom) {
  if (top && top <= bottom)
    mark(top, bottom - top, 0);
}

void *__asan_memcpy(void *to, const void *from, size_t size) {
  check(from, size);
  check(to, size);
  /* It may be onto itself: the engine and plain builds do not mind. */
  return memmove(to, from, size);
}

void *__asan_memmove(void *to, const void *from, size_t size) {
  return __asan_memcpy(to, from, size);
}

void *__asan_memset(void *to, int value, size_t size) {
  check(to, size);
  return memset(to, value, size);
}

#define ACCESSES_OF(size)                                                                          \
  void __asan_report_load##size(uintptr_t address) { report_access(address); }                     \
  void __asan_report_store##size(uintptr_t address) { report_access(address); }                    \
  void __asan_load##size(uintptr_t address) { check((void *)address, size); }                      \
  void __asan_store##size(uintptr_t address) { check((void *)address, size); }
ACCESSES_OF(1)
ACCESSES_OF(2)
ACCESSES_OF(4)
ACCESSES_OF(8)
ACCESSES_OF(16)

/* The pass has checked only both ends: reports the first byte that may not be accessed. */
static _Noreturn void report_part(uintptr_t address, size_t size) {
  check((void *)address, size);
  report_access(address);
}

void __asan_report_load_n(uintptr_t address, size_t size) { report_part(address, size); }
void __asan_report_store_n(uintptr_t address, size_t size) { report_part(address, size); }
void __asan_loadN(uintptr_t address, size_t size) { check((void *)address, size); }
void __asan_storeN(uintptr_t address, size_t size) { check((void *)address, size); }

/* ---- Where the program begins, and its way to the kernel ---- */

void __real__start_c(long *stack);

static char *copy(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(plain_malloc(size), text, size);
}

/* STACK is as the kernel lays it out: a count, arguments, NULL, variables, NULL, and pairs up to
   a zero. */
void __wrap__start_c(long *stack) {
  const struct action on = {on_fault, SA_SIGINFO | SA_NODEFER | WITH_RESTORER, psychic_end, 0};
  long *end = stack + 1, *copied, parts = 2;
  size_t size;
  if (kernel(SYS_mmap, SHADOW_START, SHADOW_END - SHADOW_START, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) != (long)SHADOW_START ||
      kernel(SYS_mmap, HEAP, HEAP_END - HEAP, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != (long)HEAP) {
    psychic_say((const char *[]){"psychic: no room for shadow memory", NULL});
    psychic_end(REPORTED);
  }
  KERNEL4(SYS_rt_sigaction, SIGSEGV, &on, NULL, sizeof on.mask);
  KERNEL4(SYS_rt_sigaction, SIGBUS, &on, NULL, sizeof on.mask);
  while (parts)
    parts -= !*end++;
  while (*end)
    end += 2;
  size = (size_t)(end + 2 - stack) * sizeof *stack;
  copied = memcpy(plain_malloc(size), stack, size);
  for (end = copied + 1, parts = 2; parts; end++)
    if (*end)
      *end = (long)copy((const char *)*end);
    else
      parts--;
  __real__start_c(copied);
}

long __real_psychic_syscall(long n, long a, long b, long c, long d, long e, long f);

/* Checks the first `size` bytes of some buffers: after a read, as many as were read. */
static void check_parts(const struct iovec *parts, long count, size_t size) {
  for (; count > 0 && size; count--, parts++) {
    size_t here = parts->iov_len < size ? parts->iov_len : size;
    check(parts->iov_base, here);
    size -= here;
  }
}

long __wrap_psychic_syscall(long n, long a, long b, long c, long d, long e, long f) {
  const struct iovec whole = {(void *)b, (size_t)c};
  int is_vector = n == SYS_readv || n == SYS_writev;
  const struct iovec *parts = is_vector ? (const struct iovec *)b : &whole;
  long result, count = is_vector ? c : 1;
  if (n == SYS_writev)
    check(parts, (size_t)c * sizeof *parts);
  if (n == SYS_write || n == SYS_pwrite64 || n == SYS_writev)
    check_parts(parts, count, SIZE_MAX);
  result = __real_psychic_syscall(n, a, b, c, d, e, f);
  if (result > 0 && (n == SYS_read || n == SYS_pread64 || n == SYS_readv))
    check_parts(parts, count, (size_t)result);
  return result;
}
