/* setjmp and longjmp: back from deep calls, with values, again and again. */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out, inner; static sigjmp_buf signals; static volatile int tries;
static void dive(int depth) { char pad[8]; pad[0] = (char)depth; if (depth == 0) longjmp(out, 3); dive(depth - pad[0] + depth - 1); }
static int guarded(int v) { volatile int state = 1; int r = setjmp(inner); if (r == 0) { state = 2; if (v > 2) longjmp(inner, v); return state; } return state * 100 + r; }
int main(void) {
  int volatile local = 1;
  switch (setjmp(out)) {
  case 0: local = 2; puts("first"); dive(5); puts("not here"); break;
  case 3: printf("three %d\n", local); longjmp(out, 0);
  case 1: printf("one %d\n", local); break;
  }
  if (sigsetjmp(signals, 1) < 3) { tries++; siglongjmp(signals, tries); }
  if (_setjmp(inner) == 0) _longjmp(inner, 9); else puts("again");
  printf("%d %d %d\n", tries, guarded(1), guarded(5));
  return tries;
}
