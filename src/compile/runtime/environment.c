/* The environment of the process: settings of this runtime, and the variables that the program
 * sees. */
#include "surroundings.h"

#include <string.h>

/* Prefix of the names of the program's variables. */
static const char of_program[] = "PSYCHIC_ENV_";

static char **environment;

void psychic_environment(char **variables) { environment = variables; }

const char *psychic_setting(const char *name) {
  size_t length = strlen(name);
  char **variable;
  for (variable = environment; variable && *variable; variable++)
    if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
      return *variable + length + 1;
  return NULL;
}

size_t psychic_variables(char **to) {
  const size_t length = sizeof of_program - 1;
  size_t count = 0;
  char **variable;
  for (variable = environment; variable && *variable; variable++)
    if (strncmp(*variable, of_program, length) == 0) {
      if (to)
        to[count] = *variable + length;
      count++;
    }
  return count;
}
