/* Functions that search and compare, on input: their models, and the code that they stand for. */
#define _GNU_SOURCE
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

static int place(const char *found, const char *text) { return found ? (int)(found - text) : -1; }

static int sign(int difference) { return (difference > 0) - (difference < 0); }

int main(void) {
    char text[5], other[4];
    unsigned char which;
    klee_make_symbolic(text, sizeof text, "text");
    klee_make_symbolic(other, sizeof other, "other");
    klee_make_symbolic(&which, 1, "which");
    klee_assume(text[4] == 0);
    klee_assume(other[3] == 0);
    static const char vowels[] = "aeiou";
    int wanted = other[0] + 256;
    switch (which) {
    case 0:
        return printf("%zu\n", strlen(text)) < 0;
    case 1:
        return printf("%zu\n", strnlen(text, 3)) < 0;
    case 2:
        return printf("%d\n", place(memchr(text, wanted, 4), text)) < 0;
    case 3:
        return printf("%d\n", place(memrchr(text, wanted, 4), text)) < 0;
    case 4:
        return printf("%d\n", place(strchr(text, wanted), text)) < 0;
    case 5:
        return printf("%d\n", place(strrchr(text, wanted), text)) < 0;
    case 6:
        return printf("%d\n", place(strchrnul(text, wanted), text)) < 0;
    case 7:
        return printf("%d\n", sign(strcmp(text, other))) < 0;
    case 8:
        return printf("%d\n", sign(strncmp(text, other, 2))) < 0;
    case 9:
        return printf("%d\n", sign(memcmp(text, other, 4))) < 0;
    case 10:
        return printf("%d\n", sign(strcmp(text, "ab"))) < 0;
    case 11:
        return printf("%d\n", place(strchr(text, 0), text)) < 0;
    case 12:
        return printf("%d %d\n", memcmp(text, other, 0), strncmp(text, other, 0)) < 0;
    case 13:
        return printf("%d\n", place(strchr(vowels, wanted), vowels)) < 0;
    case 14: {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *found = strchr(digits, wanted);
        return found && *found ? printf("%d %c\n", place(found, digits), found[1] | 32) < 0 : 1;
    }
    case 15: {
        static const char bytes[] = { 7, 0, -1, 7, -128 };
        return printf("%d\n", place(memchr(bytes, wanted, sizeof bytes), bytes)) < 0;
    }
    case 16:
        return memchr("abc", wanted, 0) != NULL;
    default:
        return 0;
    }
}
