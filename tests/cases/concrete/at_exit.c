/* What was left for the end runs in reverse, destructors last; exit inside of it goes on. */
#include <stdio.h>
#include <stdlib.h>
static int state = 1;
static void last(void) { printf("last %d\n", state); }
static void again(void) { puts("again"); exit(9); }
static void added(void) { puts("added"); }
static void first(void) { int local[3] = {1, 2, 3}; printf("first %d %d\n", ++state, local[state]); atexit(added); }
__attribute__((destructor)) static void late(void) { puts("late"); }
__attribute__((destructor(200))) static void later(void) { puts("later"); }
int main(void) {
  atexit(last);
  atexit(again);
  atexit(first);
  return 5;
}
