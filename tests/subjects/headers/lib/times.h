#include "../inc/factor.h"
#define TIMES(x) ((x) * FACTOR)
