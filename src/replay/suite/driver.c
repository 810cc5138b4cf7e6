struct psychic_text {
  psychic_size size;
  const char *bytes;
};

struct psychic_test {
  const char *name;
  /* Why it does not run; 0 if it does. */
  const char *skip;
  const struct psychic_value *inputs;
  char *const *variables;
  struct psychic_text in;
  /* What is expected. Texts without bytes do not count. A signal is 0 if the function exits. */
  const struct psychic_value *outputs;
  struct psychic_text out, err;
  int exit, signal;
};

static const struct psychic_test psychic_tests[] = {
  /* THE TESTS */
};

extern int psychic_mkstemp(char *) __asm__("mkstemp");
extern char *psychic_mkdtemp(char *) __asm__("mkdtemp");
extern int psychic_unlink(const char *) __asm__("unlink");
extern int psychic_rmdir(const char *) __asm__("rmdir");
extern int psychic_chdir(const char *) __asm__("chdir");
extern int psychic_dup2(int, int) __asm__("dup2");
extern int psychic_close(int) __asm__("close");
extern long psychic_seek(int, long, int) __asm__("lseek");
extern long psychic_read(int, void *, psychic_size) __asm__("read");
extern int psychic_fork(void) __asm__("fork");
extern int psychic_waitpid(int, int *, int) __asm__("waitpid");
extern unsigned psychic_alarm(unsigned) __asm__("alarm");
extern int psychic_flush(void *) __asm__("fflush");

static void psychic_stop(const char *what) {
  __builtin_printf("Bail out! %s\n", what);
  psychic_exit(125);
}

/* A file that goes away with this process. */
static int psychic_file(void) {
  char name[] = "/tmp/psychic-XXXXXX";
  int file = psychic_mkstemp(name);
  if (file < 0 || psychic_unlink(name) != 0)
    psychic_stop("no temporary file can be made");
  return file;
}

/* What is in a file, which is closed. */
static struct psychic_text psychic_content(int file) {
  struct psychic_text text = {0, 0};
  long size = psychic_seek(file, 0, 2), done = 0;
  char *bytes = size < 0 ? 0 : __builtin_malloc((psychic_size)size + 1);
  if (!bytes || psychic_seek(file, 0, 0) != 0)
    psychic_stop("a temporary file cannot be read");
  while (text.size < (psychic_size)size && (done = psychic_read(file, bytes + text.size, size)) > 0)
    text.size += (psychic_size)done;
  psychic_close(file);
  text.bytes = bytes;
  return text;
}

static void psychic_print(struct psychic_text text) {
  psychic_size i;
  __builtin_printf("\"");
  for (i = 0; i < text.size; i++) {
    unsigned char byte = (unsigned char)text.bytes[i];
    if (byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\')
      __builtin_printf("%c", byte);
    else
      __builtin_printf("\\x%02x", byte);
  }
  __builtin_printf("\"");
}

/* Whether a text is as expected. */
static int psychic_same(const char *what, struct psychic_text expected, struct psychic_text found) {
  if (!expected.bytes || (expected.size == found.size &&
                          __builtin_memcmp(expected.bytes, found.bytes, found.size) == 0))
    return 1;
  __builtin_printf("# %s: expected ", what);
  psychic_print(expected);
  __builtin_printf(", found ");
  psychic_print(found);
  __builtin_printf("\n");
  return 0;
}

static const struct psychic_value *psychic_find(const struct psychic_value *values,
                                                const char *name) {
  while (values->name && __builtin_strcmp(values->name, name) != 0)
    values++;
  return values->name ? values : 0;
}

/* The outputs of a record, without one that was cut off. A name that is used again becomes the first
 * free one of NAME_1, NAME_2, ... */
static const struct psychic_value *psychic_outputs(struct psychic_text record) {
  const char *at = record.bytes, *end = at + record.size;
  struct psychic_value *outputs = __builtin_calloc(record.size + 1, sizeof *outputs), *next = outputs;
  while (outputs && at < end) {
    psychic_size length = __builtin_strlen(at), size;
    char *name = __builtin_malloc(length + 12);
    unsigned count = 0;
    if (!name || (psychic_size)(end - at) < length + 1 + sizeof size)
      break;
    __builtin_sprintf(name, "%s", at);
    while (psychic_find(outputs, name))
      __builtin_sprintf(name, "%s_%u", at, ++count);
    at += length + 1;
    __builtin_memcpy(&size, at, sizeof size);
    at += sizeof size;
    if ((psychic_size)(end - at) < size)
      break;
    *next++ = (struct psychic_value){name, size, at};
    at += size;
  }
  if (!outputs)
    psychic_stop("out of memory");
  return outputs;
}

/* Whether the recorded outputs are as expected. */
static int psychic_same_outputs(const struct psychic_value *expected, struct psychic_text record) {
  const struct psychic_value *outputs = psychic_outputs(record), *value;
  int same = 1;
  for (value = expected; value->name; value++) {
    const struct psychic_value *found = psychic_find(outputs, value->name);
    struct psychic_text wanted = {value->size, value->bytes};
    if (found) {
      struct psychic_text shown = {found->size, found->bytes};
      same &= psychic_same(value->name, wanted, shown);
    } else {
      __builtin_printf("# %s: not found\n", value->name);
      same = 0;
    }
  }
  for (value = outputs; value->name; value++)
    if (!psychic_find(expected, value->name)) {
      __builtin_printf("# %s: not expected\n", value->name);
      same = 0;
    }
  return same;
}

/* Runs a test in a process and a directory of its own, and returns whether all is as expected. */
static int psychic_passes(const struct psychic_test *test) {
  char place[] = "/tmp/psychic-XXXXXX";
  int in = psychic_file(), out = psychic_file(), err = psychic_file(), record = psychic_file();
  int child, status, same;
  psychic_size done = 0;
  while (done < test->in.size) {
    long now = psychic_write(in, test->in.bytes + done, test->in.size - done);
    if (now <= 0)
      psychic_stop("a temporary file cannot be written");
    done += (psychic_size)now;
  }
  psychic_seek(in, 0, 0);
  psychic_flush(0);
  if (!psychic_mkdtemp(place) || (child = psychic_fork()) < 0)
    psychic_stop("no process can be started");
  if (child == 0) {
    if (psychic_chdir(place) != 0 || psychic_dup2(in, 0) < 0 || psychic_dup2(out, 1) < 0 ||
        psychic_dup2(err, 2) < 0)
      psychic_end(125);
    psychic_alarm(PSYCHIC_SECONDS);
    psychic_run(test->inputs, test->variables, record);
  }
  psychic_waitpid(child, &status, 0);
  psychic_close(in);
  same = psychic_same("standard output", test->out, psychic_content(out));
  same &= psychic_same("standard error", test->err, psychic_content(err));
  same &= psychic_same_outputs(test->outputs, psychic_content(record));
  if ((status & 0x7f) != test->signal || (!test->signal && status >> 8 != test->exit)) {
    __builtin_printf("# exit code %d, signal %d; expected: exit code %d, signal %d\n",
                     status & 0x7f ? 0 : status >> 8, status & 0x7f, test->exit, test->signal);
    same = 0;
  }
  if (psychic_rmdir(place) != 0) {
    __builtin_printf("# it leaves files, which are in %s\n", place);
    same = 0;
  }
  return same;
}

int main(void) {
  const unsigned count = sizeof psychic_tests / sizeof *psychic_tests;
  unsigned failed = 0, i;
  __builtin_printf("1..%u\n", count);
  for (i = 0; i < count; i++) {
    const struct psychic_test *test = &psychic_tests[i];
    int passes = test->skip || psychic_passes(test);
    __builtin_printf("%s %u - %s", passes ? "ok" : "not ok", i + 1, test->name);
    if (test->skip)
      __builtin_printf(" # SKIP %s", test->skip);
    __builtin_printf("\n");
    failed += !passes;
  }
  return failed != 0;
}
