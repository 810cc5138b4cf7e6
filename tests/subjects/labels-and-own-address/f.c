typedef int (*function)();

static int choose(function call, int x) {
  static void *ways[] = {&&small, &&large};
  goto *ways[x > 3];
small:
  return call == (function)choose ? 1 : 2;
large:
  return 5;
}

int f(int x) { return choose((function)choose, x); }
