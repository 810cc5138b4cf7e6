"""Runs every revision of a random program natively on every input of its domain.

Each revision is printed as C on its own, with its names numbered, and compiled into one
program that catches division errors, accesses outside of arrays (checked as they are made)
and loops that do not end.
"""

import subprocess

from programs import Printer

# Number of backward jumps after which a run counts as endless.
TICKS = 200_000

DRIVER = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf escape;
static long ticks, inputs[8];
static char text[1 << 16];
static size_t length;

static int tick(void) { if (++ticks > %(ticks)d) siglongjmp(escape, 3); return 0; }
static long IDX(long i, long n) { if (i < 0 || i >= n) siglongjmp(escape, 2); return i; }
static long INPUT(int i) { return inputs[i]; }
static void divided(int s) { (void)s; siglongjmp(escape, 1); }
static int OUT(const char *format, ...) {
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text + length, sizeof text - length, format, list);
	va_end(list);
	length += n;
	if (length > sizeof text - 4096) siglongjmp(escape, 4);
	return n;
}
#define for(...) for (__VA_ARGS__) if (tick()) {} else
#define while(c) while (tick(), (c))
"""


def c_main(domain, count):
    """The driver's main. It prints a line for each input: for every revision, the smallest revision of
    its cluster."""
    lines = ["#undef for", "#undef while", "static char seen[%d][1 << 16];" % count,
             "static size_t sizes[%d];" % count,
             "static void report(const char *name) {",
             "\tprintf(\"%s|\", name);",
             f"\tfor (int r = 0; r < {count}; r++) {{",
             "\t\tint c = 0;",
             "\t\twhile (sizes[c] != sizes[r] || memcmp(seen[c], seen[r], sizes[r])) c++;",
             '\t\tprintf(" %d", c);', "\t}", '\tprintf("\\n");', "}",
             "static void keep(int r, int how, const void *data, size_t size) {",
             "\tchar *p = seen[r]; p[0] = how; size_t n = length > 60000 ? 60000 : length;",
             "\tmemcpy(p + 1, text, n); n++;",
             "\tif (!how) { memcpy(p + n, data, size); n += size; }",
             "\tsizes[r] = n;", "}"]
    body, names, setup = [], [], []
    if domain["kind"] == "function":
        call, data = [], []
        for index, (name, ty, elements, low, high) in enumerate(domain["params"]):
            if elements:
                setup.append(f"\t{ty} a_{name}[{elements}];")
                for i in range(elements):
                    names.append((f"v{index}_{i}", low, high))
                    body.append(f"a_{name}[{i}] = v{index}_{i};")
                call.append(f"a_{name}")
                data.append(f"a_{name}")
            else:
                names.append((f"v{index}", low, high))
                call.append(f"({ty})v{index}")
        run = f"long result = (long)f_r%d({', '.join(call)}); " \
              "char out[512]; size_t n = 8; memcpy(out, &result, 8); " \
              + " ".join(f"memcpy(out + n, {d}, sizeof {d}); n += sizeof {d};" for d in data) \
              + " keep(%d, 0, out, n);"
    else:
        for index, _ in enumerate(domain["inputs"]):
            names.append((f"v{index}", domain["low"], domain["high"]))
            body.append(f"inputs[{index}] = v{index};")
        run = "char code = main_r%d(); keep(%d, 0, &code, 1);"
    lines.append("int main(void) {")
    lines += ["\tstruct sigaction act; memset(&act, 0, sizeof act);",
              "\tact.sa_handler = divided; act.sa_flags = SA_NODEFER;",
              "\tsigaction(SIGFPE, &act, 0); sigaction(SIGILL, &act, 0);"]
    lines += setup
    for name, low, high in names:
        literal = "(-9223372036854775807L - 1)" if low == -2**63 else f"{low}L"
        lines.append(f"\tfor (long {name} = {literal}; ; {name}++) {{")
    for r in range(count):
        lines.append(f"\t{{ {' '.join(body)} reset_r{r}(); length = 0; ticks = 0;")
        lines.append("\t  int how = sigsetjmp(escape, 1); if (how) keep(%d, how, 0, 0); else { %s } }"
                     % (r, run % (r, r)))
    formats = " ".join("%ld" for _ in names)
    lines.append(f'\tchar name[200]; sprintf(name, "{formats}", {", ".join(n for n, *_ in names)});')
    lines.append("\treport(name);")
    for name, low, high in reversed(names):
        literal = f"{high}L"
        lines.append(f"\tif ({name} == {literal}) break; }}")
    return "\n".join(lines + ["\treturn 0;", "}"]) + "\n"


def run(revisions, domain, scratch):
    """For every input of the domain, the cluster of every revision."""
    source = DRIVER % {"ticks": TICKS}
    for number, program in enumerate(revisions):
        printer = Printer(number)
        source += printer.program(program) + printer.reset(program)
    source += c_main(domain, len(revisions))
    (scratch / "brute.c").write_text(source)
    # Even at -O0, clang folds `(x - x) % y` to 0, so the check traps on a zero divisor (SIGILL).
    divisions = [f"-fsanitize{word}=integer-divide-by-zero" for word in ("", "-trap")]
    subprocess.run(["clang-19", "-O0", "-w", "-fwrapv", *divisions, "-o", scratch / "brute",
                    scratch / "brute.c"], check=True, capture_output=True)
    done = subprocess.run([scratch / "brute"], capture_output=True, text=True, check=True,
                          timeout=300)
    found = {}
    for line in done.stdout.splitlines():
        name, _, clusters = line.partition("|")
        found[tuple(map(int, name.split()))] = tuple(map(int, clusters.split()))
    return found
