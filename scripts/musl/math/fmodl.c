#define FMOD fmodl
#define T long double
#define B unsigned __int128
#define U unsigned __int128
#define FRACTION 63
#define FRACTION_FIELD 64
#define BIAS 16383
#include "fmod.h"
