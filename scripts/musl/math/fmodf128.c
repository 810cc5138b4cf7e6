#define FMOD fmodf128
#define T __float128
#define B unsigned __int128
#define U unsigned __int128
#define FRACTION 112
#define FRACTION_FIELD 112
#define BIAS 16383
#include "fmod.h"
