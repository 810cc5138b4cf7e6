/* What becomes of a signal that a program sends itself: chosen by the first byte of the argument;
   what it did about it before, by the second. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static int chosen(char c) {
  for (volatile int i = 0; i < SIGNALS; i++)
    if (c == '0' + i)
      return i;
  _exit(2);
}

int main(int argc, char **argv) {
  int number = chosen(argv[1][0]);
  /* Who is stopped here is not continued. */
  if (number >= SIGSTOP && number <= SIGTTOU)
    return 2;
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, number);
  switch (argv[1][1]) {
  case 'd':
    break;
  case 'i':
    printf("ignored %d\n", signal(number, SIG_IGN) == SIG_ERR);
    break;
  case 'b':
    printf("blocked %d\n", sigprocmask(SIG_BLOCK, &set, &old));
    break;
  case 'u':
    sigprocmask(SIG_BLOCK, &set, &old);
    break;
  default:
    return 2;
  }
  fflush(stdout);
  printf("raised %d\n", kill(getpid(), number));
  fflush(stdout);
  sigpending(&set);
  printf("pending %d\n", sigismember(&set, number));
  fflush(stdout);
  if (argv[1][1] == 'u')
    printf("let through %d\n", sigprocmask(SIG_SETMASK, &old, NULL));
  return 0;
}
