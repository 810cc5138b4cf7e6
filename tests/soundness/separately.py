"""Builds every revision on its own and runs it natively: the truth with which verdicts are compared.

Contains no code of psychic. Plain builds are clang's at -O0. Other builds serve to find out why two runs
differ: gcc's, an optimised one, those with sanitizers, two in which memory begins as zero or as another
pattern, and one that reports what it reads.
"""

import pathlib
import re
import struct
import subprocess

HERE = pathlib.Path(__file__).parent
STOPPED = 512
# Outcomes of SIGSEGV and SIGBUS.
CRASHES = [(256 + 11,), (256 + 7,)]
ERRORS = "address,null,array-bounds,integer-divide-by-zero,unreachable,return,alignment,bool,enum"
# Errors in clang that gcc, and so old C in the subjects, treats as warnings.
OLD = [f"-Wno-error={what}" for what in (
    "implicit-function-declaration", "implicit-int", "int-conversion",
    "incompatible-function-pointer-types", "return-mismatch", "return-type")]
BUILDS = {
    "plain": ["clang-19", *OLD, "-O0", "-static"],
    "gcc": ["gcc", "-O0", "-static"],
    # As in the plain build, overflow wraps around and types of pointers mean nothing.
    "optimised": ["gcc", "-O2", "-fwrapv", "-fno-strict-aliasing"],
    "errors": ["clang-19", *OLD, "-O0", "-g", f"-fsanitize={ERRORS}", "-fno-sanitize-recover=all",
               "-fno-sanitize-address-use-after-scope", "-Wl,--wrap=main",
               "-Wl,--wrap=__ctype_b_loc", "-Wl,--wrap=fgets"],
    "unwritten": ["clang-19", *OLD, "-O0", "-g", "-fsanitize=memory", "-Wl,--wrap=fgets"],
    "zero": ["clang-19", *OLD, "-O0", "-ftrivial-auto-var-init=zero", "-Wl,--wrap=malloc", "-static"],
    "pattern": ["clang-19", *OLD, "-O0", "-ftrivial-auto-var-init=pattern", "-Wl,--wrap=malloc",
                "-static"],
    "reads": ["clang-19", *OLD, "-O0", "-Wl,--wrap=__isoc99_scanf", "-static"],
}

# Every build is linked with this. Output is not buffered, so that what was printed before a crash is
# seen. The wrapped functions are used in builds that tell the linker to wrap them.
SHIM = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor(101))) static void unbuffered(void) { setvbuf(stdout, 0, _IONBF, 0); }
#if defined ZERO || defined PATTERN
#ifdef ZERO
#define CONTENT 0
#else
#define CONTENT 0xaa
#endif
void *__real_malloc(size_t);
void *__wrap_malloc(size_t size) {
	void *p = __real_malloc(size);
	return p ? memset(p, CONTENT, size) : p;
}
#endif
#ifdef ERRORS
const char *__asan_default_options(void) { return "redzone=512"; }
/* Copies the arguments, so that accesses beyond them are noticed. */
int __real_main(int, char **);
int __wrap_main(int argc, char **argv) {
	char **own = malloc((argc + 1) * sizeof *own);
	for (int i = 0; i < argc; i++)
		own[i] = strdup(argv[i]);
	own[argc] = 0;
	return __real_main(argc, own);
}
/* Copies the table that isdigit and its family read, so that accesses beyond it are noticed. */
const unsigned short **__real___ctype_b_loc(void);
const unsigned short **__wrap___ctype_b_loc(void) {
	static const unsigned short *row;
	if (!row) {
		unsigned short *own = malloc(384 * sizeof *own);
		row = memcpy(own, *__real___ctype_b_loc() - 128, 384 * sizeof *own);
		row += 128;
	}
	return &row;
}
#endif
#if defined UNWRITTEN || defined ERRORS
/* MemorySanitizer assumes that a line ends at its first NUL; AddressSanitizer does not check fgets. */
char *__wrap_fgets(char *line, int size, FILE *file) {
	int at = 0, c;
	while (at < size - 1 && (c = getc(file)) != EOF) {
		line[at++] = (char)c;
		if (c == '\n')
			break;
	}
	if (!at)
		return 0;
	line[at] = 0;
	return line;
}
#endif
#ifdef READS
int __wrap___isoc99_scanf(const char *format, ...) {
	va_list list;
	va_start(list, format);
	long before = ftell(stdin);
	int n = vscanf(format, list);
	va_end(list);
	fprintf(stderr, "\1%s\2%ld\2%ld\2%d\1", format, before, ftell(stdin), n);
	return n;
}
#endif
"""

# In the `errors` build, every file begins with these variables: the first variable of each kind then has
# the watched space after one of them in front of it.
FRONT = """
__attribute__((used)) static const char _front_constant[1 << 12] = {1};
__attribute__((used)) static char _front_variable[1 << 12] = {1};
__attribute__((used)) static char _front_zero[1 << 12];
"""

ASSERTION = re.compile(rb"^program: .*?(?=Assertion `)", re.M)


class Failed(Exception):
    """The revision does not compile or link."""


def compile_to(output, sources, flags, **options):
    done = subprocess.run([*flags, "-w", "-o", output, *sources], capture_output=True, text=True,
                          timeout=120, **options)
    if done.returncode:
        raise Failed(done.stderr[-1000:])


def runner(directory):
    """Builds the program that runs others on many inputs, and the shims; returns their directory."""
    compile_to(directory / "runner", [HERE / "runner.c"], ["clang-19", "-O1"])
    (directory / "shim.c").write_text(SHIM)
    (directory / "front.h").write_text(FRONT)
    for name in BUILDS:
        sanitized = [f for f in BUILDS[name] if f.startswith(("-fsanitize", "-fno-sanitize"))]
        compile_to(directory / f"shim.{name}.o", [directory / "shim.c"],
                   [BUILDS[name][0], "-c", "-O1", f"-D{name.upper()}", *sanitized])
    return directory


class Revision:
    """One patched source tree, its builds, and their outcomes."""

    def __init__(self, directory, files, tools):
        self.directory, self.tools, self.built, self.seen = directory, tools, {}, {}
        self.sources = sorted(name for name in files if name.endswith(".c"))
        self.runs = 0
        directory.mkdir(parents=True)
        for name, text in files.items():
            (directory / name).write_text(text)

    def build(self, kind="plain"):
        if kind not in self.built:
            output = self.directory / f"{kind}.out"
            front = ["-include", (self.tools / "front.h").resolve()] if kind == "errors" else []
            # Names are relative, because __FILE__ shows them.
            compile_to(output.name, [*self.sources, (self.tools / f"shim.{kind}.o").resolve(), "-lm"],
                       [*BUILDS[kind], *front], cwd=self.directory)
            self.built[kind] = output
        return self.built[kind]

    def returns(self):
        """Whether all functions return the values that they promise; no build zeroes a missing one."""
        command = ["clang-19", "-fsyntax-only", "-Werror=return-type", *self.sources]
        return not subprocess.run(command, capture_output=True, cwd=self.directory).returncode

    def run(self, inputs, kind="plain", milliseconds=300):
        """The outcomes on these inputs; None for an input that was not run because too many runs were
        stopped. Each build runs every input only once."""
        seen = self.seen.setdefault((kind, milliseconds), {})
        left = [i for i in dict.fromkeys(inputs) if i not in seen]
        stopped, first = 0, True
        while left:
            # Runs only a few at a time while some may be endless, as each of those takes the full limit.
            size = 5 if first or stopped else 50
            part, left, first = left[:size], left[size:], False
            if stopped > 3:
                # Enough runs were stopped.
                seen.update((i, None) for i in part)
                continue
            for given, outcome in zip(part, self.execute(part, kind, milliseconds)):
                seen[given] = outcome
                stopped += outcome[0] == STOPPED
        return [seen[i] for i in inputs]

    def is_steady(self, given):
        """Whether another run of the plain build, at other addresses, does the same."""
        return self.execute([given], "plain", 300)[0] == self.run([given])[0]

    def execute(self, inputs, kind, milliseconds):
        program = self.build(kind)
        packed = [struct.pack("I", len(inputs))]
        for arguments, text in inputs:
            packed.append(struct.pack("I", len(arguments)))
            packed += [struct.pack("I", len(a)) + a for a in arguments]
            packed.append(struct.pack("I", len(text)) + text)
        path = self.directory / "inputs"
        path.write_bytes(b"".join(packed))
        memory = "0" if kind in ("errors", "unwritten") else "2048"
        limit = milliseconds * (4 if memory == "0" else 1)
        done = subprocess.run([self.tools / "runner", program, path, str(limit), memory],
                              capture_output=True, check=True, timeout=900)
        self.runs += len(inputs)
        at, found = 0, []

        def text():
            nonlocal at
            size, = struct.unpack_from("I", done.stdout, at)
            at += 4 + size
            return done.stdout[at - size:at]

        for _ in inputs:
            end, = struct.unpack_from("I", done.stdout, at)
            at += 4
            out, err = text(), text()
            found.append((end,) if end == STOPPED else (end, out, ASSERTION.sub(b"", err)))
        return found

    def fails(self, given):
        """Whether a sanitizer finds an error on the input, or a plain run dies of one (AddressSanitizer
        does not watch memory that is far from all variables)."""
        if (self.run([given])[0] or ())[:1] in CRASHES:
            return True
        outcome = self.run([given], "errors")[0]
        return len(outcome or ()) == 3 and (b"AddressSanitizer" in outcome[2]
                                            or b"runtime error:" in outcome[2])

    def uses_unwritten(self, given):
        """Whether memory that was never written is used: MemorySanitizer says so, or different contents
        give different outcomes (MemorySanitizer does not check what is printed)."""
        outcome = self.run([given], "unwritten")[0]
        if len(outcome or ()) == 3 and b"MemorySanitizer" in outcome[2]:
            return True
        return self.run([given], "zero")[0] != self.run([given], "pattern")[0]

    def reads_well(self, given, tokens, word):
        """Whether the standard input is `tokens` well-formed tokens for the program's own reads."""
        outcome = self.run([given], "reads")[0]
        if len(outcome or ()) != 3:
            return True
        count, text = 0, given[1]
        for record in re.findall(rb"\x01([^\x01]*)\x01", outcome[2]):
            form, before, after, _ = record.split(b"\2")
            at = int(before)
            for space, bound, kind in re.findall(rb"(\s*)%(\d*)([a-z]+)", form):
                if space or kind != b"c":
                    while text[at:at + 1].isspace():
                        at += 1
                if at >= len(text):
                    if count != tokens:
                        return False
                    break
                if kind == b"c":
                    count += at == 0 or text[at:at + 1] != b"\n" or text[at - 1:at] == b"\n"
                    at += 1
                    continue
                token = re.match(rb"\S+", text[at:]).group()
                if kind == b"s":
                    if len(token) > min(word, int(bound or word)):
                        return False
                else:
                    ranges = {b"d": (-2**31, 2**31), b"i": (-2**31, 2**31), b"u": (0, 2**32),
                              b"ld": (-2**63, 2**63), b"hd": (-2**15, 2**15)}
                    low, high = ranges.get(kind, (0, 0))
                    if not re.fullmatch(rb"0|-?[1-9]\d*", token) or not low <= int(token) < high:
                        return False
                at += len(token)
                if text[at:at + 1] != b"\n":
                    return False
                count += 1
        return count <= tokens
