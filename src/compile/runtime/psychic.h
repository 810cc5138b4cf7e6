/* How a program talks to Psychic.
 *
 * In bitcode these calls are recognised by name. Linked with the native runtime they replay a
 * recorded test. Either way a program that includes this header stays plain C (or C++). The header
 * includes no other one: macros such as _GNU_SOURCE may come behind it.
 */
#ifndef PSYCHIC_H
#define PSYCHIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* The revision that runs: 0 is the original, 1..N the patches. Natively it is read once from
 * the environment variable PSYCHIC_REVISION. */
int psychic_rev(void);

/* The revision that runs, under the name of the published algorithm. The location is only a
 * label. */
int __klee_meta(int psychic_location);

/* Makes SIZE bytes at ADDRESS symbolic. A name that was used before becomes the first free one
 * of NAME_1, NAME_2, ... Natively the bytes come from the .ktest file named by KTEST_FILE; those
 * that it does not have are zero. */
void psychic_symbolic(void *psychic_address, __SIZE_TYPE__ psychic_size, const char *psychic_name);

/* Ends paths on which CONDITION is 0. Natively it ends the program with the exit code
 * PSYCHIC_ASSUMPTION_VIOLATED. */
void psychic_assume(int psychic_condition);
#define PSYCHIC_ASSUMPTION_VIOLATED 119

/* Declares a value to be part of what a person could see of the run. Natively it is appended
 * to the file named by PSYCHIC_OUTPUTS. */
void psychic_output(const char *psychic_name, const void *psychic_data, __SIZE_TYPE__ psychic_size);

/* Declares as many floating-point numbers as there are in SIZE bytes to be visible, as
 * psychic_output does. Every NaN counts as the same one, and a long double has no padding. */
void psychic_output_float(const char *psychic_name, const void *psychic_data, __SIZE_TYPE__ psychic_size);
void psychic_output_double(const char *psychic_name, const void *psychic_data, __SIZE_TYPE__ psychic_size);
void psychic_output_long_double(const char *psychic_name, const void *psychic_data, __SIZE_TYPE__ psychic_size);

/* The offset of a pointer in the SIZE bytes at BASE, or just behind them; -1 if it points
 * elsewhere. */
long psychic_offset(const void *psychic_pointer, const void *psychic_base, __SIZE_TYPE__ psychic_size);

/* Says that what is visible of a run may not be all that matters: if no difference is found on
 * this path, nothing is claimed. Natively it does nothing. */
void psychic_unknown(const char *psychic_reason);

#ifdef __cplusplus
}
#endif

#endif
