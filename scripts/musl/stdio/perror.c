/* As in glibc, a message that is absent or empty has no colon. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Inside musl it is a variable of musl's. */
#undef stderr

void perror(const char *message) {
  const char *why = strerror(errno);
  if (message && *message)
    fprintf(stderr, "%s: %s\n", message, why);
  else
    fprintf(stderr, "%s\n", why);
}
