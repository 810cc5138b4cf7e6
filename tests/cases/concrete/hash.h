/* A sum over bytes (FNV-1a): much output in one line. */
#include <stdint.h>

static uint64_t hash;

static void mix(const void *bytes, int size) {
  const unsigned char *p = bytes;
  for (int i = 0; i < size; i++)
    hash = (hash ^ p[i]) * 1099511628211ull;
}

/* Mixes a value that may have padding after its `size` bytes. */
#define MIX(T, size, e) \
  ({ \
    T value = (e); \
    mix(&value, size); \
  })
