static int same(int n) { return n; }

static int room(int n) {
#if LARGE
  char variable[16 << 20];
#else
  char variable[16];
#endif
  return same(n) + (sizeof variable > 3);
}
