/* In glibc, the place to go on from is never NULL: after the last token, it is the text's end. Whoever
 * begins without a text fails there, where musl's function returns NULL. */
#include <string.h>

char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest) {
  char *token = text ? text : *rest;
  if (*token)
    token += strspn(token, separators);
  *rest = token;
  if (!*token)
    return 0;
  char *end = token + strcspn(token, separators);
  *rest = end;
  if (*end) {
    *end = 0;
    *rest = end + 1;
  }
  return token;
}
