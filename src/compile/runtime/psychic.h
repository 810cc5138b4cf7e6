/* What a program may say to Psychic.
 *
 * Compiled to bitcode these calls are recognised by name; linked with psychic.c they replay
 * a recorded test natively. Either way a program that includes this header stays plain C
 * (or C++).
 */
#ifndef PSYCHIC_H
#define PSYCHIC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The revision that runs: 0 is the original, 1..N the patches. Natively it is read once from
 * the environment variable PSYCHIC_REVISION. */
int psychic_rev(void);

/* The same under the name of the published algorithm; the location is only a label. */
int __klee_meta(int location);

/* Makes SIZE bytes at ADDRESS symbolic. A name that was used before gets the first free one
 * of NAME_1, NAME_2, ... Natively the bytes come from the .ktest file named by KTEST_FILE;
 * what the file does not hold is zero. */
void psychic_symbolic(void *address, size_t size, const char *name);

/* Ends paths on which CONDITION is 0. Natively that ends the program with exit code
 * PSYCHIC_ASSUMPTION_VIOLATED. */
void psychic_assume(int condition);
#define PSYCHIC_ASSUMPTION_VIOLATED 119

/* Declares a value to be part of what a person could see of the run. Natively it is appended
 * to the file named by PSYCHIC_OUTPUTS. */
void psychic_output(const char *name, const void *data, size_t size);

/* The same for floating-point numbers, as many as there are in SIZE bytes: every NaN counts as
 * the same one. Of a long double without its padding. */
void psychic_output_float(const char *name, const void *data, size_t size);
void psychic_output_double(const char *name, const void *data, size_t size);
void psychic_output_long_double(const char *name, const void *data, size_t size);

/* Where in the SIZE bytes at BASE a pointer points, just behind them included; -1 where it points
 * elsewhere. */
long psychic_offset(const void *pointer, const void *base, size_t size);

/* Says that what is visible of a run may not be all that matters: whoever finds no difference on
 * this path claims nothing. Natively nothing. */
void psychic_unknown(const char *why);

#ifdef __cplusplus
}
#endif

#endif
