"""Compiles the source files of musl that need no system, each to a bitcode module.

A module is named after its folder and file, `math/sin` say. Called by musl.sh with musl's
directory in the cache and a number of jobs.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

# Whole folders of the C library, and single files of folders that also contain functions that the
# engine models (allocation, exits) or that glibc defines differently. Native runs link the same
# modules of math, complex and ctype (src/compile/libc.rs): glibc's sine differs, and no sanitizer
# watches its tables of characters.
FOLDERS = ["string", "prng", "search", "math", "complex"]
FILES = [
    *(f"ctype/{name}.c" for name in ["isascii", "toascii"]),
    *(f"stdlib/{name}.c" for name in [
        "abs", "atof", "bsearch", "div", "imaxabs", "imaxdiv", "labs", "ldiv", "llabs", "lldiv",
        "strtod",
    ]),
    *(f"misc/{name}.c" for name in ["ffs", "ffsl", "ffsll"]),
    # What strtod consists of.
    "internal/floatscan.c",
    "internal/shgetc.c",
    *(f"env/{name}.c" for name in [
        "__environ", "clearenv", "getenv", "putenv", "setenv", "unsetenv",
    ]),
]
# These need locales, which need threads.
LEFT_OUT = {"strsignal", "strerror_r", "wcscasecmp_l", "wcsncasecmp_l"}
# The shape of a tree and the capacity of a hash table differ from libc to libc.
LEFT_OUT |= {"tsearch", "tfind", "twalk", "tdelete", "hsearch"}
# glibc takes other branches, or has other errors.
LEFT_OUT |= {f"{name}{suffix}" for suffix in ["", "f", "l"] for name in [
    "cacos", "cacosh", "casin", "casinh", "catan", "catanh",
]}
LEFT_OUT |= {"wcstok"}
# IEEE 754 fixes these results: they are one operation in the engine, and the C library's natively.
LEFT_OUT |= {f"{name}{suffix}" for suffix in ["", "f", "l"] for name in [
    "sqrt", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "fma",
]}
# The engine ends paths on which text is copied to a place that overlaps it, as C libraries differ then.
COPIES = "\t{ void psychic_copies_text(void *, const void *, size_t); psychic_copies_text(%s, %s, %s); }\n"
# Sets errno to ERANGE if the result has become zero or infinite.
OUT_OF_RANGE = """
	y *= u.f;
	if (x != 0 && x - x == 0 && (y == 0 || y - y != 0)) {
		int *__errno_location(void);
		*__errno_location() = 34;
	}
	return y;"""
# What strtod does with errno. Numbers below the least normal one are not exact, unless they are
# hexadecimal: a decimal one would have 700 digits. The second reading, as a `long double`, says what was
# rounded to the least normal number: glibc goes by what it would be if exponents had no end. Of
# hexadecimal numbers that are too small for a `float`, glibc 2.36 rounds some wrongly, and calls some
# exact that are not.
READ_NUMBER = """
	int *__errno_location(void);
	int before = *__errno_location();
	long double y = __floatscan(&f, prec, 1);
	off_t cnt = shcnt(&f);
	long double size = y < 0 ? -y : y;
	long double least = prec == 0 ? 0x1p-126L : prec == 1 ? 0x1p-1022L : 0x1p-16382L;
	long double half = prec == 0 ? 0x1p-151L : prec == 1 ? 0x1p-1076L : 0;
	if (!cnt) *__errno_location() = before;
	if (y != y) {
		size_t i = 0;
		while (s[i] == ' ' || s[i] >= '\\t' && s[i] <= '\\r') i++;
		if (s[i] == '-') y = -y;
		if (s[i] == '-' || s[i] == '+') i++;
		void psychic_unknown(const char *);
		if (s[i + 3] == '(') psychic_unknown("a NaN with a payload that is read from text");
	}
	long double read = prec == 0 ? (float)y : prec == 1 ? (double)y : y;
	if (y == y && read - read != 0) {
		size_t i = 0;
		while (s[i] && !(s[i] >= '0' && s[i] <= '9') && s[i] != '.') i++;
		if (s[i] == '0' && (s[i + 1] | 32) == 'x') *__errno_location() = 34;
	}
	if (size > 0 && size <= least) {
		size_t i = 0;
		sh_fromstring(&f, s);
		shlim(&f, 0);
		long double exact = __floatscan(&f, 2, 1);
		if (exact < 0) exact = -exact;
		while (s[i] && !(s[i] >= '0' && s[i] <= '9') && s[i] != '.') i++;
		int is_hexadecimal = s[i] == '0' && (s[i + 1] | 32) == 'x';
		if (is_hexadecimal && prec == 0) {
			void psychic_unknown(const char *);
			psychic_unknown("a hexadecimal number that is too small for a float");
		}
		int is_exact = size == exact && (is_hexadecimal || size == least);
		int is_small = size < least || exact < least - half;
		*__errno_location() = !is_exact && is_small ? 34 : before;
	}"""
# Replacements in musl's sources: file, text there, new text. shgetc: strtod's text is never refilled.
# As in glibc, strtod leaves errno alone if there is no number, and sets it if a number other than zero is
# so near to it that it is not exact; strcasestr finds nothing in nothing; getenv accepts a name with `=`, setenv
# does not free what getenv may have returned, putenv accepts an empty name, seed48 forgets what lcong48
# has set, remquo gives three bits of the quotient, frexp of an infinity or a NaN has the exponent 0, and scalbn sets errno.
REPLACED = {
    "shgetc": ("__uflow(f)", "-1"),
    "strtod": (
        "long double y = __floatscan(&f, prec, 1);\n\toff_t cnt = shcnt(&f);",
        READ_NUMBER,
    ),
    "strcasestr": ("return 0;", "return l ? 0 : (char *)h;"),
    "getenv": ("__strchrnul(name, '=') - name", "strlen(name)"),
    "putenv": ("if (!l || !s[l]) return unsetenv(s);", "if (!s[l]) { unsetenv(s); return 0; }"),
    "seed48": ("memcpy(__seed48, s, sizeof p);", """memcpy(__seed48, s, sizeof p);
	__seed48[3] = 0xe66d;
	__seed48[4] = 0xdeec;
	__seed48[5] = 5;
	__seed48[6] = 0xb;"""),
    **{f"remquo{suffix}": (
        "*quo = sx^sy ? -(int)q : (int)q;", "*quo = sx^sy ? -(int)(q & 7) : (int)(q & 7);",
    ) for suffix in ["", "f", "l"]},
    "setenv": ("\t\t\tfree(old);\n", ""),
    "frexp": ("(ee == 0x7ff) {", "(ee == 0x7ff) {\n\t\t*e = 0;"),
    "frexpf": ("(ee == 0xff) {", "(ee == 0xff) {\n\t\t*e = 0;"),
    "frexpl": ("(ee == 0x7fff) {", "(ee == 0x7fff) {\n\t\t*e = 0;"),
    "stpcpy": ("const char *restrict s)\n{", "const char *restrict s)\n{\n" + COPIES % ("d", "s", "-1")),
    "stpncpy": ("size_t n)\n{", "size_t n)\n{\n" + COPIES % ("d", "s", "n")),
    "strncat": ("\td += strlen(d);\n", "\td += strlen(d);\n" + COPIES % ("d", "s", "n")),
    "scalbn": ("\tx = y * u.f;\n\treturn x;", OUT_OF_RANGE),
    "scalbnf": ("\tx = y * u.f;\n\treturn x;", OUT_OF_RANGE),
}
# The number of errno values of Linux, with 0, success.
ERRORS = 134
# Our own files in place of some of musl's; each says why.
OVERLAY = pathlib.Path(__file__).parent / "musl"

FLAGS = """
    -std=c99 -nostdinc -ffreestanding -D_XOPEN_SOURCE=700
    -D___errno_location=__errno_location
    -O1 -g -c -emit-llvm -fno-vectorize -fno-slp-vectorize -fno-builtin -ffp-contract=off
    -fno-rounding-math -fno-stack-protector -fno-pie -fno-unwind-tables
    -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -w
    -Xclang -default-function-attr -Xclang psychic-library
""".split()


def sources(tree):
    """The C files to compile, in order; musl's assembly for x86_64 is left out."""
    for folder in FOLDERS:
        yield from sorted((tree / "src" / folder).glob("*.c"))
    yield from (tree / "src" / name for name in FILES)
    yield from sorted(OVERLAY.glob("**/*.c"))


def write_errors(build):
    """Writes a C file with a `strerror` that gives the texts of this machine's libc; returns the file."""
    file = build / "string/strerror.c"
    file.parent.mkdir(exist_ok=True)
    texts = "".join(f'    {json.dumps(os.strerror(number))},\n' for number in range(ERRORS))
    file.write_text("""#include <string.h>

static const char *const texts[] = {
%s};

char *strerror(int number)
{
	static char unknown[32];
	unsigned rest = number < 0 ? -(unsigned)number : number;
	char *at = unknown + sizeof unknown - 1;
	if ((unsigned)number < sizeof texts / sizeof *texts)
		return (char *)texts[number];
	do
		*--at = '0' + rest %% 10;
	while (rest /= 10);
	if (number < 0)
		*--at = '-';
	at -= strlen("Unknown error ");
	return memcpy(at, "Unknown error ", strlen("Unknown error "));
}
""" % texts)
    return file


def compile_one(musl, source):
    """Compiles one file; returns its rows for symbols.csv and, if it is left out, the reason."""
    tree, build, beside = musl / "source", musl / "build", source.parent
    name = f"{source.parent.name}/{source.stem}"
    output = musl / "bitcode" / f"{name}.bc"
    output.parent.mkdir(exist_ok=True)
    if source.stem in REPLACED:
        old, new = REPLACED[source.stem]
        text = source.read_text()
        if text.count(old) != 1:
            return [], "it is not the text that we change"
        source = build / source.parent.name / source.name
        source.parent.mkdir(exist_ok=True)
        source.write_text(text.replace(old, new))
    includes = [
        OVERLAY, tree / "arch/x86_64", tree / "arch/generic", build / "obj/src/internal",
        tree / "src/include", tree / "src/internal", build / "obj/include", tree / "include",
    ]
    flags = [*FLAGS, "-iquote", beside, *(f"-I{path}" for path in includes), f"-ffile-prefix-map={tree}=musl"]
    if source.parent.name == "string":
        # Without __GNUC__ these go byte by byte. With it they read whole words, up to
        # seven bytes past the end of a string: fine for a machine, out of bounds for C.
        flags.append("-U__GNUC__")
    if source.parent.name in ("math", "complex", "ctype"):
        # In native runs, too, a function that the program defines itself takes precedence: with these
        # flags, calls inside the module go by name.
        flags += ["-fPIC", "-fsemantic-interposition"]
    run = subprocess.run(
        ["clang-19", *flags, source, "-o", output], capture_output=True, text=True)
    if run.returncode:
        return [], f"does not compile: {run.stderr.splitlines()[0]}"
    # Native builds with sanitizers use the same bitcode.
    subprocess.run(
        ["opt-19", "-passes=forceattrs", "-force-attribute=sanitize_address",
         "-force-attribute=sanitize_memory", output, "-o", output], check=True)
    text = subprocess.run(
        ["llvm-dis-19", output, "-o", "-"], capture_output=True, text=True, check=True).stdout
    if re.search(r"\bcall [^\n]*\basm\b|\bmodule asm\b", text):
        output.unlink()
        return [], "inline assembly"
    return list(symbols(name, output)), None


def symbols(name, module):
    """The rows (module, symbol, kind) of the bitcode file `module`, which is called `name`."""
    listing = subprocess.run(
        ["llvm-nm-19", "-P", module], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        symbol, letter = line.split()[:2]
        if letter == "U":
            kind = "undefined"
        elif letter in "WVwv":
            kind = "weak"
        elif letter.isupper():
            kind = "defined"
        else:
            continue
        yield name, symbol, kind


def main():
    """Compiles everything, and prints what is left out and what stays undefined."""
    musl, jobs = pathlib.Path(sys.argv[1]).absolute(), int(sys.argv[2])
    ours = {f"{f.parent.name}/{f.stem}" for f in OVERLAY.glob("*/*.c")}
    files = [
        f for f in sources(musl / "source") if f.stem not in LEFT_OUT
        and (f.is_relative_to(OVERLAY) or f"{f.parent.name}/{f.stem}" not in ours)
    ]
    files.append(write_errors(musl / "build"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda source: compile_one(musl, source), files))
    rows = [row for found, _ in results for row in found]
    with open(musl / "symbols.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["module", "symbol", "kind"])
        writer.writerows(sorted(rows))
    left_out = [(f.stem, reason) for f, (_, reason) in zip(files, results) if reason]
    for name, reason in left_out:
        print(f"left out {name}: {reason}")
    defined = {symbol for _, symbol, kind in rows if kind != "undefined"}
    outside = {}
    for module, symbol, kind in rows:
        if kind == "undefined" and symbol not in defined:
            outside.setdefault(symbol, []).append(module)
    for symbol, modules in sorted(outside.items()):
        print(f"undefined {symbol}: {' '.join(modules)}")
    print(f"{len(files) - len(left_out)} modules, {len(defined)} symbols")


if __name__ == "__main__":
    main()
