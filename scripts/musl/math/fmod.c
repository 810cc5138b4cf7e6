#define FMOD fmod
#define T double
#define B uint64_t
#define U uint64_t
#define FRACTION 52
#define FRACTION_FIELD 52
#define BIAS 1023
#include "fmod.h"
