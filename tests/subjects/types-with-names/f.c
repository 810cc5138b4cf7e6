#include <stdint.h>

int32_t f(int32_t x) {
  return x == 3 ? -1 : x;
}
