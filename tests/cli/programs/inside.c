#include <stdio.h>
#include <stdlib.h>

struct point {
  int x;
  double weight;
  char tag[4];
  struct {
    short a, b;
  } inner;
  unsigned bits : 3;
  char *name;
};

struct pair {
  long low, high;
};

struct triple {
  long first, second, third;
};

static int step(int n) {
  return n * 2;
}

static void fill(struct point *p, int n) {
  p->x = n;
  p->weight = n;
  p->inner.a = 1;
}

static struct point *find(struct point *p, int n) {
  return n > 3 ? p : NULL;
}

static struct pair both(struct pair add, const int *from, int *to) {
  *to = *from;
  return (struct pair){add.low, add.high};
}

static struct triple three(long n) {
  return (struct triple){n, n, n};
}

static int is_odd(int n) {
  return n & 1;
}

static void release(int *memory) {
  free(memory);
}

int main(void) {
  struct point p = {0};
  int n, to, *memory;
  if (scanf("%d", &n) != 1)
    return 1;
  if (n < 0 || n > 10)
    return 2;
  fill(&p, n);
  step(n);
  step(n + 1);
  find(&p, n);
  both((struct pair){n, 0}, &n, &to);
  three(n);
  is_odd(n);
  memory = malloc(sizeof *memory);
  if (n == 10)
    release(memory);
  printf("%d\n", n > 5);
  return 0;
}
