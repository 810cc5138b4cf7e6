/* The greater and the lesser of two numbers where it is not known which of two zeros the native code
 * gives (src/ir/lower/intrinsics.rs). */
#define EXTREME(name, type, before)                                                                \
  type name(type a, type b) {                                                                      \
    if (a != a)                                                                                    \
      return b;                                                                                    \
    if (a == b && !__builtin_signbit(a) != !__builtin_signbit(b)) {                                \
      void psychic_unknown(const char *);                                                          \
      psychic_unknown("which of two zeros is the greater one");                                    \
    }                                                                                              \
    return b before a ? b : a;                                                                     \
  }

EXTREME(psychic_fmax, double, >)
EXTREME(psychic_fmin, double, <)
EXTREME(psychic_fmaxf, float, >)
EXTREME(psychic_fminf, float, <)
