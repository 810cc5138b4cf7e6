#define FMOD fmodf
#define T float
#define B uint32_t
#define U uint64_t
#define FRACTION 23
#define FRACTION_FIELD 23
#define BIAS 127
#include "fmod.h"
