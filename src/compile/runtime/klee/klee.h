/* KLEE's intrinsics, so that a program written for KLEE runs under Psychic unchanged.
 * https://klee-se.org/docs/intrinsics/ says what each one means.
 */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define KLEE_NORETURN [[noreturn]]
#else
#define KLEE_NORETURN _Noreturn
#endif

void klee_make_symbolic(void *address, size_t size, const char *name);
int klee_range(int begin, int end, const char *name);
int klee_int(const char *name);
uintptr_t klee_choose(uintptr_t n);

void klee_assume(uintptr_t condition);
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

KLEE_NORETURN void klee_silent_exit(int status);
KLEE_NORETURN void klee_abort(void);
KLEE_NORETURN void klee_report_error(const char *file, int line, const char *message,
                                     const char *suffix);

unsigned klee_is_symbolic(uintptr_t n);
unsigned klee_is_replay(void);
size_t klee_get_obj_size(void *object);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int value);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_stack_trace(void);

float klee_get_valuef(float expression);
double klee_get_valued(double expression);
long klee_get_valuel(long expression);
long long klee_get_valuell(long long expression);
int32_t klee_get_value_i32(int32_t expression);
int64_t klee_get_value_i64(int64_t expression);

void klee_check_memory_access(const void *address, size_t size);
void klee_mark_global(void *object);
void klee_define_fixed_object(void *address, size_t size);
void klee_set_forking(unsigned enable);
void klee_alias_function(const char *function, const char *replacement);
void klee_open_merge(void);
void klee_close_merge(void);

#undef KLEE_NORETURN

#ifdef __cplusplus
}
#endif

#endif
