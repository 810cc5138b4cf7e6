/* Structs by value: in registers, by sret, by byval; copies, nesting, arrays inside, unions. */
#include <stdio.h>
#include <string.h>
struct tiny { char c; };
struct pair { int a, b; };
struct mixed { double d; int i; };
struct floats { float x, y; };
struct odd { char text[3]; };
struct seven { char text[7]; };
struct twelve { int v[3]; };
struct big { long v[5]; char name[9]; struct pair p; };
union either { int i; float f; char bytes[8]; struct pair p; };
static struct tiny make_tiny(int c) { struct tiny t = {(char)c}; return t; }
static struct pair swap(struct pair p) { struct pair r = {p.b, p.a}; return r; }
static struct mixed scale(struct mixed m, int by) { m.d *= by; m.i *= by; return m; }
static struct floats add(struct floats a, struct floats b) { a.x += b.x; a.y += b.y; return a; }
static struct odd rot(struct odd o) { char c = o.text[0]; o.text[0] = o.text[1]; o.text[1] = o.text[2]; o.text[2] = c; return o; }
static struct seven up(struct seven s) { for (int i = 0; i < 7; i++) s.text[i]++; return s; }
static struct twelve twice(struct twelve t) { for (int i = 0; i < 3; i++) t.v[i] *= 2; return t; }
static struct big change(struct big b, int at) { b.v[at] = -1; b.name[0] = 'X'; b.p = swap(b.p); return b; }
static union either flip(union either e) { e.bytes[0] ^= 1; return e; }
static long sum(struct big b, struct pair p, struct twelve t, int last) {
  long s = 0;
  for (int i = 0; i < 5; i++) s += b.v[i];
  b.v[0] = 999;
  return s + p.a * p.b + t.v[0] + t.v[1] + t.v[2] + last;
}
static struct big table[3];
int main(void) {
  struct pair p = {3, -4};
  p = swap(swap(swap(p)));
  printf("%d %d %c\n", p.a, p.b, make_tiny('t').c);
  struct mixed m = scale((struct mixed){1.5, 7}, 3);
  printf("%g %d\n", m.d, m.i);
  struct floats f = add((struct floats){1, 2}, (struct floats){0.25f, -0.5f});
  printf("%g %g\n", f.x, f.y);
  struct odd o = rot((struct odd){{'a', 'b', 'c'}});
  printf("%.3s %.7s\n", o.text, up((struct seven){{'h', 'd', 'k', 'k', 'n', ' ', 'z'}}).text);
  struct twelve t = twice((struct twelve){{1, 2, 3}});
  struct big b = {{1, 2, 3, 4, 5}, "big", {6, 7}};
  struct big c = change(b, 2);
  printf("%ld %s %d | %ld %s %d\n", b.v[2], b.name, b.p.a, c.v[2], c.name, c.p.a);
  printf("%ld %ld\n", sum(c, p, t, 9), b.v[0]);
  table[1] = c;
  table[2] = table[1];
  table[1] = table[0];
  printf("%ld %ld %d\n", table[1].v[4], table[2].v[4], memcmp(&table[0], &table[1], sizeof b));
  union either e;
  memset(&e, 0, sizeof e);
  e.f = 1.0f;
  printf("%x %g\n", e.i, flip(e).f);
  e.p = p;
  printf("%d %d\n", e.i, e.bytes[4]);
  struct pair *q = &(struct pair){8, 9};
  q[0] = (struct pair){.b = 1};
  printf("%d %d\n", q->a, q->b);
  return 0;
}
