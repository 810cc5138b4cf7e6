/* System calls and the thread pointer by inline assembly, as a libc makes them. */
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

static long call3(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static int say(const char *text) { return (int)call3(1, 1, (long)text, (long)strlen(text)); }

int main(void) {
    char byte;
    klee_make_symbolic(&byte, 1, "byte");
    uintptr_t self;
    __asm__("mov %%fs:0,%0" : "=r"(self));
    say(*(uintptr_t *)self == self ? "self\n" : "other\n");
    if (byte == 'x')
        say("x\n");
    else if (byte > 'x')
        call3(1, 2, (long)&byte, 1);
    if (call3(1, 77, (long)&byte, 1) != -9)
        say("written to nowhere\n");
    const char *missing = byte == 'c' ? "missing/" : "missing";
    if (call6(92, (long)missing, 1000, 1000, 0, 0, 0) != -2 || call3(94, (long)missing, 0, 0) != -2)
        say("owned by somebody\n");
    if (call6(260, -100, (long)missing, 1000, 1000, 0, 0) != -2 || call3(93, 77, 1000, 1000) != -9)
        say("owned by somebody else\n");
    if (call6(439, -100, (long)missing, 0, 0x200, 0, 0) != -2)
        say("there\n");
    /* An anonymous mapping of two pages, and its end. */
    char *page = (char *)call6(9, 0, 8192, 3, 0x22, -1, 0);
    page[8191] = byte;
    int result = page[0] + (page[8191] & 7);
    if (call3(11, (long)page, 8192, 0))
        return 99;
    call3(231, result, 0, 0);
    return 98;
}
