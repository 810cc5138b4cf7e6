/* The environment of the process: settings of this runtime, and the variables that the program
 * sees. */
#include "plain.h"
#include "surroundings.h"

static char **environment;

void psychic_environment(char **variables) { environment = variables; }

const char *psychic_setting(const char *name) {
  size_t length = length_of(name);
  char **variable;
  for (variable = environment; variable && *variable; variable++)
    if (begins_with(*variable, name) && (*variable)[length] == '=')
      return *variable + length + 1;
  return NULL;
}

size_t psychic_settings(const char *prefix, char **to) {
  const size_t length = length_of(prefix);
  size_t count = 0;
  char **variable;
  for (variable = environment; variable && *variable; variable++)
    if (begins_with(*variable, prefix)) {
      if (to)
        to[count] = *variable + length;
      count++;
    }
  return count;
}

size_t psychic_variables(char **to) { return psychic_settings("PSYCHIC_ENV_", to); }
