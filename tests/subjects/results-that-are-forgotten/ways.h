static int number(void) {
  int n;
  return scanf("%d", &n) == 1 ? n : 0;
}

static int last(void) {
  int r = 0;
  for (;;)
    r = WAY + (number() ?: ({ break; 0; }));
  return r;
}
