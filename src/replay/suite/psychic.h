/* What the call of a function needs: the input of a test, and a record of the outputs. No header of
 * the C library is included, and its functions have names of ours here: what the source defines, and
 * what it asks of these headers, is up to the source. */
#ifndef PSYCHIC_H
#define PSYCHIC_H

/* Several sources may include this. */
#define PSYCHIC_FUNCTION __attribute__((weak))

typedef __SIZE_TYPE__ psychic_size;

/* A value by its name. A list of them ends with one that has no name. */
struct psychic_value {
  const char *name;
  psychic_size size;
  const char *bytes;
};

extern long psychic_write(int, const void *, psychic_size) __asm__("write");
extern void psychic_end(int) __asm__("_exit");
extern void psychic_exit(int) __asm__("exit");
extern int psychic_clearenv(void) __asm__("clearenv");
extern int psychic_putenv(char *) __asm__("putenv");
extern int psychic_setvbuf(void *, char *, int, psychic_size) __asm__("setvbuf");
extern void *psychic_stdout __asm__("stdout");

/* The input, and the file that outputs are appended to. */
PSYCHIC_FUNCTION const struct psychic_value *psychic_inputs;
PSYCHIC_FUNCTION int psychic_record;

/* A name that is used again becomes NAME_1, NAME_2, ... */
PSYCHIC_FUNCTION void psychic_symbolic(void *address, psychic_size size, const char *name) {
  static const char *asked[4096];
  const struct psychic_value *input;
  char unique[__builtin_strlen(name) + 12];
  unsigned count = 0, i;
  for (i = 0; asked[i]; i++)
    count += __builtin_strcmp(asked[i], name) == 0;
  if (i + 1 < sizeof asked / sizeof *asked)
    asked[i] = name;
  __builtin_sprintf(unique, count ? "%s_%u" : "%s", name, count);
  __builtin_memset(address, 0, size);
  for (input = psychic_inputs; input->name; input++)
    if (__builtin_strcmp(input->name, unique) == 0)
      __builtin_memcpy(address, input->bytes, input->size < size ? input->size : size);
}

/* A test is not meant for a function that assumes something else. */
PSYCHIC_FUNCTION void psychic_assume(int condition) {
  if (!condition)
    psychic_end(119);
}

PSYCHIC_FUNCTION void psychic_unknown(const char *why) { (void)why; }

PSYCHIC_FUNCTION int psychic_rev(void) { return 0; }

PSYCHIC_FUNCTION long psychic_offset(const void *pointer, const void *base, psychic_size size) {
  psychic_size distance = (psychic_size)pointer - (psychic_size)base;
  return distance <= size ? (long)distance : -1;
}

PSYCHIC_FUNCTION void psychic_put(const void *bytes, psychic_size size) {
  const char *rest = bytes;
  while (size) {
    long done = psychic_write(psychic_record, rest, size);
    if (done <= 0)
      psychic_end(120);
    rest += done;
    size -= (psychic_size)done;
  }
}

/* A record is the name with its NUL, the size in as many bytes as a size has, and the bytes. */
PSYCHIC_FUNCTION void psychic_head(const char *name, psychic_size size) {
  psychic_put(name, __builtin_strlen(name) + 1);
  psychic_put(&size, sizeof size);
}

PSYCHIC_FUNCTION void psychic_output(const char *name, const void *data, psychic_size size) {
  psychic_head(name, size);
  psychic_put(data, size);
}

/* Every NaN counts as the same one. */
PSYCHIC_FUNCTION void psychic_output_float(const char *name, const void *data, psychic_size size) {
  const char *bytes = data;
  psychic_size i;
  float number;
  psychic_head(name, size);
  for (i = 0; i < size; i += sizeof number) {
    __builtin_memcpy(&number, bytes + i, sizeof number);
    psychic_put(number != number ? "\0\0\300\177" : bytes + i, sizeof number);
  }
}

PSYCHIC_FUNCTION void psychic_output_double(const char *name, const void *data, psychic_size size) {
  const char *bytes = data;
  psychic_size i;
  double number;
  psychic_head(name, size);
  for (i = 0; i < size; i += sizeof number) {
    __builtin_memcpy(&number, bytes + i, sizeof number);
    psychic_put(number != number ? "\0\0\0\0\0\0\370\177" : bytes + i, sizeof number);
  }
}

/* Only ten of its bytes have a meaning. */
PSYCHIC_FUNCTION void psychic_output_long_double(const char *name, const void *data,
                                                 psychic_size size) {
  const char *bytes = data;
  psychic_size i;
  psychic_head(name, (size + 15) / 16 * 10);
  for (i = 0; i < size; i += 16) {
    unsigned long long fraction;
    int is_special = (bytes[i + 9] & 0x7f) == 0x7f && (unsigned char)bytes[i + 8] == 0xff;
    __builtin_memcpy(&fraction, bytes + i, sizeof fraction);
    is_special = is_special && fraction != 1ULL << 63;
    psychic_put(is_special ? "\0\0\0\0\0\0\0\300\377\177" : bytes + i, 10);
  }
}

/* Calls the function. */
int psychic_call(void);

/* Runs a test in this process, and ends it. There are no environment variables but VARIABLES, and
 * what is printed before a crash is seen. */
PSYCHIC_FUNCTION void psychic_run(const struct psychic_value *inputs, char *const *variables,
                                  int record) {
  psychic_inputs = inputs;
  psychic_record = record;
  psychic_clearenv();
  for (; *variables; variables++)
    psychic_putenv(*variables);
  psychic_setvbuf(psychic_stdout, 0, 2, 0);
  psychic_exit(psychic_call());
}

#endif
