/* What no process has room for fails, with errno, and leaves what it was about alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t huge[] = {SIZE_MAX, SIZE_MAX - 15, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX, (size_t)1 << 48, (size_t)1 << 47};

int main(void) {
  char *kept = malloc(8);
  strcpy(kept, "kept");
  for (unsigned i = 0; i < sizeof huge / sizeof *huge; i++) {
    size_t size = huge[i];
    void *out = kept;
    errno = 0; printf("%d %d, ", malloc(size) == NULL, errno);
    errno = 0; printf("%d %d, ", calloc(size, 1) == NULL, errno);
    errno = 0; printf("%d %d, ", calloc(size / 2 + 1, 2) == NULL, errno);
    errno = 0; printf("%d %d, ", calloc(size, 8) == NULL, errno);
    errno = 0; printf("%d %d, ", realloc(kept, size) == NULL, errno);
    errno = 0; printf("%d %d, ", reallocarray(kept, size, 3) == NULL, errno);
    errno = 0; printf("%d %d, ", aligned_alloc(64, size) == NULL, errno);
    /* POSIX leaves open what becomes of errno here, and optimisers make use of that. */
    printf("%d %d, ", posix_memalign(&out, 64, size), out == kept);
    puts(kept);
  }
  char *large = malloc((size_t)400 << 20), *zeros = calloc((size_t)300 << 20, 1);
  large[0] = 'x';
  large[5000] = 'y';
  large = realloc(large, (size_t)500 << 20);
  printf("%d %c%c %d\n", large != NULL, large[0], large[5000], zeros[70000]);
  free(zeros);
  large = realloc(large, 6000);
  printf("%c%c\n", large[0], large[5000]);
  free(large);
  for (int i = 0; i < 40; i++) {
    char *p = malloc((size_t)900 << 20);
    if (!p) return 1;
    p[0] = 1;
    free(p);
  }
  free(kept);
  return 0;
}
