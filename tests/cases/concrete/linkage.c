/* Constant expressions in initialisers, aliases, weak symbols, function tables, old declarations. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct node { struct node *next; const char *name; int value; };
extern struct node second;
struct node first = {&second, "first", 1}, second = {&first, "second" + 3, 2};
static int numbers[10] = {1, 2, 3, [7] = 8};
int *middle = &numbers[5], *end = numbers + 10;
ptrdiff_t distance = (char *)&numbers[7] - (char *)numbers;
uintptr_t address = (uintptr_t)&numbers[2];
static char text[] = "same", *const same1 = "same", *const same2 = "same";
extern int alias_target(int) __attribute__((alias("real_target")));
int real_target(int v) { return v + 100; }
int variable = 9; extern int other_name __attribute__((alias("variable")));
extern int absent(int) __attribute__((weak)); extern int absent_variable __attribute__((weak));
__attribute__((weak)) int present(void) { return 3; }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const operations[])(int, int) = {add, sub, mul, NULL};
struct op { char symbol; int (*run)(int, int); } ops[] = {{'+', add}, {'-', sub}, {'*', mul}};
typedef int (*operation)(int, int);
static operation pick(char c) { for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) if (ops[i].symbol == c) return ops[i].run; return NULL; }
int old_style();
int old_style(a, b) int a; char b; { return a * b; }
static int apply(int (*f)(), int a) { return f(a, 7); }
static long as_long(int v) { return v * 3; }
static union { char c[8]; double d; int i; } tagged = {.i = 0x41424344};
static const struct { char c; int v[3]; struct { short s; } in; } constant = {'c', {1, 2, 3}, {-4}};
static void *const places[] = {&numbers[1], text + 2, (void *)&first.value, &tagged, (void *)real_target, (void *)0x1000};
static unsigned char low = (unsigned char)sizeof(struct node);
static int before, after_main;
__attribute__((constructor)) static void construct(void) { before = 77; }
__attribute__((destructor)) static void destruct(void) { printf("destroyed %d\n", after_main); }
static inline int twice(int v) { static int calls; calls++; return v * 2 + calls; }
int main(void) {
  printf("%s %s %d\n", first.next->name, second.next->name, first.next->next->value);
  *middle = 55; printf("%d %td %td\n", numbers[5], end - middle, distance); printf("%d\n", *(int *)address);
  printf("%d %d\n", !strcmp(same1, same2), text != same1); printf("%d %d\n", alias_target(1), (other_name = 12, variable));
  printf("%d %d %d\n", absent ? absent(1) : -1, &absent_variable == NULL, present());
  int sum = 0; for (int i = 0; operations[i]; i++) sum = sum * 10 + operations[i](6, 3); printf("%d %d\n", sum, pick('*')(4, 5));
  printf("%d %d\n", old_style(6, 3), apply(add, 5)); printf("%ld\n", as_long(4));
  printf("%c %d %d\n", tagged.c[0], constant.v[2], constant.in.s); printf("%d %c %d\n", *(int *)places[0], *(char *)places[1], *(int *)places[2]);
  printf("%d\n", ((int (*)(int))places[4])(5)); printf("%d %d\n", low, before); printf("%d %d\n", twice(1), twice(1));
  printf("%d\n", (int)((uintptr_t)&numbers[9] - (uintptr_t)&numbers[0])); printf("%d\n", &numbers[3] > &numbers[2]); printf("%d\n", pick('?') == NULL);
  after_main = 5;
  return numbers[7];
}
