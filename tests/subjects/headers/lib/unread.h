#include "../inc/factor.h"
#define UNREAD(x) ((x) + FACTOR)
