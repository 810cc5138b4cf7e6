/* When the program started, and how old its files are. */
#include "world.h"

/* A file that was last changed before the start. */
struct aged {
  uint64_t device, number;
  /* Seconds. */
  long age;
};

/* A device that no file has. */
#define REMOVED UINT64_MAX

static struct aged *aged;
static size_t count;

long world_start = 1700000000;

/* Reads decimal digits; returns the text behind them. */
static const char *read_number(const char *text, long *number) {
  unsigned long read = 0;
  for (; *text >= '0' && *text <= '9'; text++)
    read = 10 * read + (unsigned long)(*text - '0');
  *number = (long)read;
  return text;
}

void world_times(void) {
  const char *clock = psychic_setting("PSYCHIC_CLOCK");
  size_t all = psychic_settings("PSYCHIC_AGE_", NULL), i;
  char **texts;
  if (clock)
    read_number(clock, &world_start);
  if (!all)
    return;
  texts = psychic_memory(all * sizeof *texts);
  psychic_settings("PSYCHIC_AGE_", texts);
  aged = psychic_memory(all * sizeof *aged);
  for (i = 0; i < all; i++) {
    /* INDEX=AGE PATH */
    struct stat status;
    const char *text = texts[i];
    long age;
    while (*text++ != '=')
      ;
    text = read_number(text, &age) + 1;
    if (KERNEL4(SYS_newfstatat, AT_FDCWD, text, &status, AT_SYMLINK_NOFOLLOW) == 0)
      aged[count++] = (struct aged){status.st_dev, status.st_ino, age};
  }
}

static struct aged *find(uint64_t device, uint64_t number) {
  size_t i;
  for (i = 0; i < count; i++)
    if (aged[i].device == device && aged[i].number == number)
      return &aged[i];
  return NULL;
}

long world_changed(uint64_t device, uint64_t number) {
  const struct aged *file = find(device, number);
  return file ? (long)((unsigned long)world_start - (unsigned long)file->age) : world_start;
}

void world_forget_age(uint64_t device, uint64_t number) {
  struct aged *file = find(device, number);
  if (file)
    file->device = REMOVED;
}
