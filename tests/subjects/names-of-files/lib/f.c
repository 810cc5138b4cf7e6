#include "names.h"
#include "../other.h"

int length(int x) { return x > 3 ? LENGTH : LEVEL; }

int f(int x) { return length(x) + (x > 5 ? OTHER : BASE) + __INCLUDE_LEVEL__ + (int)sizeof __FILE__; }
