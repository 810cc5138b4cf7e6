#define uint8_t unsigned char

int f(int x) {
  uint8_t low = x * 50;
  return low > 100;
}
