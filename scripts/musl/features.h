/* Is found before musl's src/include/features.h: the modules are linked with others that are not
   part of musl, so nothing in them may be hidden. */
#include_next <features.h>
#undef hidden
#define hidden
