/* Initialisers with addresses, constructors and destructors in order, statics, strings. */
#include <stdio.h>
#include <stdlib.h>
struct entry { const char *name; int (*run)(int); struct entry *next; int *where; };
static int inc(int x) { return x + 1; }
extern struct entry list[];
static int cells[4] = {1, 2, 3, 4};
struct entry list[] = {{"a", inc, &list[1], &cells[2]}, {"b", abs, &list[2], cells + 3}, {"c", NULL, NULL, (int *)((char *)cells + 4)}};
static int log_[10], logged;
__attribute__((constructor(200))) static void second(void) { log_[logged++] = 2; }
__attribute__((constructor(101))) static void first(void) { log_[logged++] = 1; printf("constructing\n"); }
__attribute__((constructor)) static void third(void) { log_[logged++] = 3; }
static char text[8] = "abc", *p = text + 1;
static const double table[2][2] = {{1.5}, {-2, 3}};
static long address_difference = (char *)&cells[3] - (char *)&cells[1];
static union { struct { char c; short s; } v; int whole; } u = {{1, 2}};
static struct { int n; char tail[]; } flexible = {3, "xyz"};
static _Bool flag = 5;
static char *strings[] = {[2] = "two", [0] = "zero"};
int common;
static int twice(void) { static int calls; return ++calls * 2; }
int main(int argc, char **argv) {
  for (struct entry *e = list; e; e = e->next) printf("%s %d %d\n", e->name, e->run ? e->run(-5) : 0, *e->where);
  for (int i = 0; i < logged; i++) printf("%d ", log_[i]);
  printf("%s %c %g %ld %d %s %d\n", text, *p, table[1][1], address_difference, u.v.s, flexible.tail, flag);
  printf("%d %s %s\n", strings[1] == NULL, strings[2], strings[0]);
  twice(); twice();
  printf("%d %d %d %s %d\n", common, twice(), argc, argv[0], argv[argc] == NULL);
  exit(300);
}
