"""Tests the bitcode of scripts/musl.sh: a program that is linked with the modules that symbols.csv
says it needs does the same as with the system's C library."""

import pathlib
import subprocess
import tempfile
import unittest

from musl import files, needed

PROGRAM = r"""
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
	const char *numbers[] = {"", "-", "0x1f", "077", "-2147483649", "  +42abc",
		"9223372036854775808", "zz", "1e3"};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		for (int base = 0; base <= 36; base += 9) {
			char *end;
			errno = 0;
			long value = strtol(numbers[i], &end, base ? base : 0);
			printf("%ld %d %d %d\n", value, (int)(end - numbers[i]), errno == ERANGE,
				atoi("  -17"));
		}
	}
	char *words[] = {"pear", "apple", "fig", "Fig", "", "apples", "fig"};
	qsort(words, 7, sizeof *words, compare);
	for (int i = 0; i < 7; i++)
		printf("%s,", words[i]);
	char *key = "fig";
	printf("%s\n", *(char **)bsearch(&key, words, 7, sizeof *words, compare));
	printf("%s %d %d\n", strstr("mississippi", "issip"), (int)strspn("aabc", "ba"),
		strncasecmp("HELlo", "helLX", 4));
	char text[64] = "a,b;;c", *rest = text, *copy = strdup(text);
	for (char *token; (token = strsep(&rest, ",;"));)
		printf("[%s]", token);
	memmove(copy + 1, copy, 4);
	printf("%s %zu %p\n", copy, strlen(copy), memchr(copy, 'z', 5));
	for (int c = -1; c < 256; c++)
		printf("%d", !!isalpha(c) + 2 * !!isspace(c) + 4 * !!ispunct(c) + !!isxdigit(c));
	printf("\n%ld %c\n", labs(-5L), toupper('q'));
	return 0;
}
"""


class Musl(unittest.TestCase):
    """Compares with the system's C library."""

    def test_linked_program(self):
        """Strings, characters, numbers, sorting."""
        with tempfile.TemporaryDirectory() as name:
            scratch = pathlib.Path(name)
            (scratch / "program.c").write_text(PROGRAM)
            compile_c = ["clang-19", "-w", "-O0", "-fno-builtin", "-D_GNU_SOURCE",
                         "-D__NO_CTYPE", scratch / "program.c"]
            subprocess.run([*compile_c, "-o", scratch / "system"], check=True)
            subprocess.run([*compile_c, "-c", "-emit-llvm", "-o", scratch / "program.bc"],
                           check=True)
            listing = subprocess.run(["llvm-nm-19", "-P", "-u", scratch / "program.bc"],
                                     capture_output=True, text=True, check=True).stdout
            modules = needed(line.split()[0] for line in listing.splitlines())
            self.assertIn("stdlib/strtol", modules)
            self.assertNotIn("string/memmem", modules)
            subprocess.run(
                ["llvm-link-19", scratch / "program.bc",
                 *files(modules), "-o", scratch / "all.bc"],
                check=True)
            subprocess.run(["clang-19", "-w", "-no-pie", scratch / "all.bc",
                            "-o", scratch / "musl"], check=True)
            outputs = [subprocess.run([scratch / which], capture_output=True, check=True).stdout
                       for which in ("system", "musl")]
        self.assertEqual(*outputs)


if __name__ == "__main__":
    unittest.main()
