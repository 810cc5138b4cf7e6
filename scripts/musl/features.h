/* Stands before musl's src/include/features.h: the modules are linked with ones that are not
   part of musl, so nothing in them is hidden. */
#include_next <features.h>
#undef hidden
#define hidden
