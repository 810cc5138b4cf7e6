"""Makes random C programs such as people write, from a seed: several parts (structs by pointer, lists,
strings, statics, recursion, macros, headers, ...) that share a few inputs.

A program is a dictionary of its files, and what it reads, so that inputs can be made for it.
"""

import dataclasses

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclasses.dataclass
class Program:
    """The files of a program by name, and the form of its input."""

    files: dict
    # "tokens", "bytes" or "args"
    mode: str
    # For tokens their types: "int", "unsigned", "long", "word", "char"; otherwise the numbers of bytes.
    kinds: list
    word: int = 4

    def compiled(self):
        return sorted(name for name in self.files if name.endswith(".c"))


@dataclasses.dataclass
class Part:
    """What one idea adds to a program: declarations, functions, and statements of main that use them."""

    declarations: list
    functions: list
    uses: list


def expression(rng, names, depth=2):
    """An int expression without undefined behaviour for moderate values."""
    if depth == 0 or rng.random() < 0.25:
        return rng.choice(names) if rng.random() < 0.7 else str(rng.randint(0, 9))
    left, right = expression(rng, names, depth - 1), expression(rng, names, depth - 1)
    kind = rng.randint(0, 9)
    if kind < 4:
        return f"({left} {rng.choice('+-+-+-&|^')} {right})"
    if kind == 4:
        return f"({left} * {rng.randint(2, 5)})"
    if kind == 5:
        return f"({left} {rng.choice('/%')} {rng.choice([2, 3, 4, 5, 8])})"
    if kind == 6:
        return f"({condition(rng, names)} ? {left} : {right})"
    if kind == 7:
        return f"({left} {rng.choice(['<', '>', '==', '!='])} {right})"
    if kind == 8:
        return f"-({left})"
    return f"({left} >> {rng.randint(1, 3)})"


def condition(rng, names):
    compare = rng.choice(["<", "<=", ">", ">=", "==", "!="])
    first = f"{rng.choice(names)} {compare} {rng.randint(-3, 9)}"
    if rng.random() < 0.3:
        return f"{first} {rng.choice(['&&', '||'])} {rng.choice(names)} {rng.choice(['<', '>'])} " \
            f"{rng.randint(-4, 9)}"
    return first


def conversion(rng, argument):
    """A printf conversion of an int."""
    return rng.choice(["%d", "%d", "%3d", "%-4d|", "%03d", "%x", "%+d", "%o", "%u", "%i", "%5.2d",
                       "%hhd", "%hd", "%X", "%#x"]), argument


def show(rng, label, argument):
    """A statement that prints an int."""
    if rng.random() < 0.15:
        return f'fprintf(stderr, "{label}: %d\\n", {argument});'
    form, value = conversion(rng, argument)
    if rng.random() < 0.1:
        return f'printf("{label} %ld\\n", (long)({value}));'
    return f'printf("{label}{rng.choice([" ", "=", ": "])}{form}\\n", {value});'


def ints(rng):
    return rng.choice(["a", "b", f"a + {rng.randint(1, 4)}", f"b - {rng.randint(1, 4)}", "a + b",
                       "a - b", f"a * {rng.randint(2, 3)}"])


def part_points(rng, n):
    fields = ["int x;", "int y;", rng.choice(["char tag;", "short tag;", "unsigned char tag;"])]
    rng.shuffle(fields)
    k = rng.randint(1, 6)
    size = rng.randint(2, 4)
    declarations = [f"struct point{n} {{"] + ["\t" + f for f in fields] + ["};"]
    functions = [f"static void move{n}(struct point{n} *p, int by)\n{{\n"
                 f"\tp->x += by;\n\tif ({condition(rng, ['p->x', 'by'])})\n\t\tp->y -= {k};\n"
                 f"\telse\n\t\tp->y = p->x {rng.choice('+-&')} {k};\n\tp->tag++;\n}}\n",
                 f"static int norm{n}(const struct point{n} *p)\n{{\n"
                 f"\tif (p->tag {rng.choice(['>', '=='])} {rng.randint(0, 3)})\n"
                 f"\t\treturn {expression(rng, ['p->x', 'p->y'])};\n"
                 f"\treturn p->x {rng.choice('+-')} p->y + (int)sizeof(p->{rng.choice(['x', 'tag'])});\n}}\n"]
    uses = [f"struct point{n} points{n}[{size}] = {{{{{rng.randint(0, 5)}, {rng.randint(0, 5)}, 1}}}};",
            f"for (int i = 0; i < {size}; i++)\n\t\tmove{n}(&points{n}[i], {ints(rng)} + i);",
            show(rng, "norm", f"norm{n}(points{n} + {rng.randrange(size)})")]
    if rng.random() < 0.4:
        uses.insert(2, f"points{n}[{rng.randrange(size)}] = points{n}[{rng.randrange(size)}];")
    return Part(declarations, functions, uses)


def part_list(rng, n):
    size = rng.randint(3, 4)
    up = rng.choice("<>")
    declarations = [f"struct node{n} {{", "\tint value;", f"\tstruct node{n} *next;", "};"]
    functions = [f"static struct node{n} *insert{n}(struct node{n} *head, struct node{n} *fresh, int value)\n{{\n"
                 f"\tstruct node{n} **at = &head;\n\tfresh->value = value;\n"
                 f"\twhile (*at && (*at)->value {up} value)\n\t\tat = &(*at)->next;\n"
                 f"\tfresh->next = *at;\n\t*at = fresh;\n\treturn head;\n}}\n"]
    uses = [f"static struct node{n} pool{n}[{size}];", f"struct node{n} *head{n} = NULL;"]
    for i in range(size):
        uses.append(f"head{n} = insert{n}(head{n}, &pool{n}[{i}], "
                    f"{ints(rng) if i < 2 else rng.randint(0, 9)});")
    if rng.random() < 0.5:
        functions.append(f"static int walk{n}(struct node{n} *p)\n{{\n\tint sum = 0, place = 1;\n"
                         f"\tfor (; p; p = p->next)\n\t\tsum += p->value * place++;\n\treturn sum;\n}}\n")
        uses.append(show(rng, "walk", f"walk{n}(head{n})"))
    else:
        uses.append(f"for (struct node{n} *p = head{n}; p; p = p->next)\n"
                    f'\t\tprintf("%d%s", p->value, p->next ? "," : "\\n");')
    return Part(declarations, functions, uses)


def part_text(rng, n):
    size = rng.randint(12, 20)
    kind = rng.randrange(6)
    k = rng.randint(1, 5)
    if kind == 0:
        test = rng.choice(["isalpha", "isdigit", "isupper", "ispunct", "isspace", "islower"])
        functions = [f"static int count{n}(const char *s)\n{{\n\tint found = 0;\n\twhile (*s) {{\n"
                     f"\t\tif ({test}((unsigned char)*s))\n\t\t\tfound += {k};\n"
                     f"\t\telse if (*s == '{rng.choice('x-_a')}')\n\t\t\tfound--;\n\t\ts++;\n\t}}\n"
                     "\treturn found;\n}\n"]
        uses = [show(rng, "count", f"count{n}(w)")]
    elif kind == 1:
        functions = [f"static void turn{n}(char *s)\n{{\n\tsize_t i = 0, j = strlen(s);\n"
                     f"\twhile (i + {rng.randint(1, 2)} < j) {{\n\t\tchar t = s[i];\n\t\ts[i++] = s[--j];\n"
                     "\t\ts[j] = t;\n\t}\n}\n"]
        uses = [f"char text{n}[{size}];", f"strcpy(text{n}, w);", f"turn{n}(text{n});",
                f'printf("%s %zu\\n", text{n}, strlen(text{n}));']
    elif kind == 2:
        word = rng.choice(["ab", "no", "yes", "x"])
        functions = []
        uses = [f"if (strcmp(w, \"{word}\") {rng.choice(['==', '<', '>'])} 0)\n\t\tputs(\"{rng.choice(['yes', 'less', 'hit'])}\");\n"
                f"\telse\n\t\tputs(\"{rng.choice(['no', 'more', 'miss'])}\");"]
        if rng.random() < 0.5:
            uses.append(f"if (strchr(w, '{rng.choice('ab0-')}') != NULL)\n\t\ta {rng.choice(['+=', '-=', '^='])} {k};")
    elif kind == 3:
        functions = [f"static char *upper{n}(char *to, const char *s)\n{{\n\tchar *at = to;\n"
                     f"\tfor (; *s; s++)\n\t\t*at++ = {rng.choice(['toupper', 'tolower'])}((unsigned char)*s);\n"
                     f"\t*at = '\\0';\n\treturn to;\n}}\n"]
        uses = [f"char big{n}[{size}];", f'printf("%s|%.{rng.randint(1, 3)}s\\n", upper{n}(big{n}, w), w);']
    elif kind == 4:
        functions = []
        uses = [f"char line{n}[{size + 8}] = \"{rng.choice(['<', 'id-', 'v'])}\";",
                f"strncat(line{n}, w, {rng.randint(1, 4)});",
                f"snprintf(line{n} + strlen(line{n}), {rng.randint(3, 8)}, \"%c%d\", '{rng.choice('#:.')}', a & 15);",
                f"puts(line{n});"]
    else:
        functions = [f"static unsigned hash{n}(const char *s)\n{{\n\tunsigned h = {rng.randint(1, 9)}u;\n"
                     f"\tfor (int i = 0; s[i] != '\\0'; i++)\n\t\th = h * {rng.choice([3, 5, 31])} + s[i];\n"
                     "\treturn h;\n}\n"]
        uses = [f'printf("%u\\n", hash{n}(w) & {rng.choice([255, 1023, 7])}u);']
    return Part([], functions, uses)


def part_static(rng, n):
    ty = rng.choice(["int", "int", "long", "unsigned", "short"])
    functions = [f"static int tick{n}(int by)\n{{\n\tstatic {ty} total = {rng.randint(0, 5)};\n"
                 f"\ttotal += by;\n\tif ({condition(rng, ['total', 'by'])})\n\t\ttotal -= {rng.randint(1, 4)};\n"
                 "\treturn (int)total;\n}\n"]
    uses = [f"tick{n}({ints(rng)});", show(rng, "tick", f"tick{n}({rng.randint(1, 4)})")]
    if rng.random() < 0.5:
        uses.insert(1, f"for (int i = 0; i < {rng.randint(2, 3)}; i++)\n\t\ta = tick{n}(i);")
    return Part([], functions, uses)


def part_recursion(rng, n):
    kind = rng.randrange(4)
    k = rng.randint(2, 6)
    if kind == 0:
        functions = [f"static int gcd{n}(int x, int y)\n{{\n\tif (y == 0)\n\t\treturn x;\n"
                     f"\treturn gcd{n}(y, x % y);\n}}\n"]
        uses = [show(rng, "gcd", f"gcd{n}((a & 7) + {k}, (b & 3) + {k + 1})")]
    elif kind == 1:
        functions = [f"static long sum{n}(int depth, int x)\n{{\n\tif (depth <= 0 || x == {k})\n\t\treturn x;\n"
                     f"\tif (x & 1)\n\t\treturn x + sum{n}(depth - 1, x {rng.choice('+-')} {k - 1});\n"
                     f"\treturn sum{n}(depth - 1, x / 2) {rng.choice('+-')} depth;\n}}\n"]
        uses = [f'printf("%ld\\n", sum{n}({rng.randint(2, 4)}, {ints(rng)}));']
    elif kind == 2:
        functions = [f"static int ways{n}(int steps)\n{{\n\tif (steps < 0)\n\t\treturn 0;\n"
                     f"\tif (steps {rng.choice(['==', '<='])} {rng.randint(0, 1)})\n\t\treturn 1;\n"
                     f"\treturn ways{n}(steps - 1) + ways{n}(steps - {rng.randint(2, 3)});\n}}\n"]
        uses = [show(rng, "ways", f"ways{n}(a & {rng.choice([3, 5, 7])})")]
    else:
        functions = [f"static void spell{n}(unsigned number)\n{{\n\tif (number >= {k}u)\n"
                     f"\t\tspell{n}(number / {k}u);\n\tputchar('0' + number % {k}u);\n}}\n"]
        uses = [f"spell{n}((unsigned)({ints(rng)}) & 31u);", "putchar('\\n');"]
    return Part([], functions, uses)


def part_switch(rng, n):
    names = [f"{word}{n}".upper() for word in rng.sample(["red", "green", "blue", "stop", "go"], 3)]
    declarations = [f"enum kind{n} {{ " + ", ".join(
        name + (f" = {rng.randint(1, 4)}" if i == 0 and rng.random() < 0.4 else "")
        for i, name in enumerate(names)) + " };"]
    lines = [f"static int choose{n}(enum kind{n} kind, int x)", "{", "\tint y = x;", "\tswitch (kind) {"]
    for name in names:
        lines += [f"\tcase {name}:", f"\t\ty {rng.choice(['+=', '-=', '^=', '='])} {rng.randint(1, 7)};"]
        if rng.random() < 0.7:
            lines.append("\t\tbreak;")
    lines += ["\tdefault:", f"\t\treturn {expression(rng, ['x', 'y'])};", "\t}", "\treturn y;", "}", ""]
    uses = [show(rng, "kind", f"choose{n}((enum kind{n})({ints(rng)} & 3), {ints(rng)})")]
    return Part(declarations, ["\n".join(lines)], uses)


def part_do(rng, n):
    functions = [f"static int steps{n}(int x)\n{{\n\tint count = 0;\n\tdo {{\n\t\tif (x % 2)\n"
                 f"\t\t\tx = x {rng.choice(['+ 1', '- 1', '* 3 + 1'])};\n\t\telse\n\t\t\tx /= 2;\n"
                 f"\t\tif (++count > {rng.randint(3, 6)})\n\t\t\tbreak;\n\t}} while (x != {rng.randint(0, 1)});\n"
                 "\treturn count * 10 + (x & 1);\n}\n"]
    return Part([], functions, [show(rng, "steps", f"steps{n}({ints(rng)})")])


def part_macros(rng, n):
    k = rng.randint(2, 9)
    kind = rng.randrange(6)
    functions = []
    if kind == 0:
        declarations = [f"#define TWICE{n}(x) {rng.choice(['((x) + (x))', '((x) * 2)', 'x + x'])}",
                        f"#define LIMIT{n} {k}"]
        uses = [f"if (TWICE{n}(a) > LIMIT{n})\n\t\tb = TWICE{n}(b) - LIMIT{n};", show(rng, "b", "b")]
    elif kind == 1:
        declarations = [f'#define SHOW{n}(v) printf(#v " = %d\\n", (int)(v))']
        uses = [f"SHOW{n}({rng.choice(['a', 'a + b', 'a  -  b', 'b*2', '(a > 2)'])});"]
    elif kind == 2:
        declarations = [f"#define FIELD{n}(name) value_##name",
                        f"#define CLAMP{n}(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))"]
        uses = [f"int FIELD{n}(one{n}) = CLAMP{n}(a, {-k}, {k});", show(rng, "one", f"value_one{n}")]
        if n > 100:
            uses = uses[1:]
    elif kind == 3:
        names = rng.sample(["apple", "pear", "plum", "fig"], 3)
        declarations = [f"#define FRUITS{n}(X) " + " ".join(f"X({name}{n})" for name in names),
                        f"#define ITEM{n}(name) name,", f"#define NAME{n}(name) #name,",
                        f"enum fruit{n} {{ FRUITS{n}(ITEM{n}) COUNT{n} }};",
                        f"static const char *const names{n}[] = {{ FRUITS{n}(NAME{n}) }};"]
        uses = [f"if (a >= 0 && a < COUNT{n})\n\t\tputs(names{n}[a]);\n\telse\n\t\tputs(\"{rng.choice(['none', '-'])}\");"]
    elif kind == 4:
        declarations = [f'#define LOG{n}(...) fprintf({rng.choice(["stdout", "stderr"])}, __VA_ARGS__)',
                        f"#define LEVEL{n} {rng.randint(0, 2)}"]
        uses = [f"#if LEVEL{n} > {rng.randint(0, 1)}", f'LOG{n}("level %d %d\\n", LEVEL{n}, a);', "#else",
                f'LOG{n}("plain %d\\n", b);', "#endif"]
    else:
        declarations = [f"#define SWAP{n}(x, y) do {{ int t_ = x; x = y; y = t_; }} while (0)"]
        uses = [f"if ({condition(rng, ['a', 'b'])})\n\t\tSWAP{n}(a, b);", 'printf("%d,%d\\n", a, b);']
    return Part(declarations, functions, uses)


def part_line(rng, n):
    if rng.random() < 0.5:
        return Part([f'#define HERE{n} (__LINE__ {rng.choice(["% 100", "* 2", "- 1"])})'], [],
                    [f"if ({condition(rng, ['a', 'b'])})\n\t\tprintf(\"at %d\\n\", HERE{n});"])
    return Part([], [f"static int where{n}(int x)\n{{\n\tif (x > {rng.randint(0, 5)})\n\t\treturn __LINE__;\n"
                     f"\treturn {rng.choice(['-__LINE__', '0', '__LINE__ & 1'])};\n}}\n"],
                [show(rng, "line", f"where{n}(a)")])


def part_assert(rng, n):
    return Part([], [f"static int checked{n}(int x)\n{{\n\tassert(x {rng.choice(['<', '!=', '<='])} {rng.randint(4, 20)});\n"
                     f"\treturn x {rng.choice('+-')} {rng.randint(1, 5)};\n}}\n"],
                [f"a = checked{n}({ints(rng)});"])


def part_table(rng, n):
    size = rng.randint(3, 6)
    values = ", ".join(str(rng.randint(-9, 30)) for _ in range(size))
    guard = rng.choice([f"if (index < 0 || index >= {size})\n\t\treturn -1;\n",
                        f"if (index < 0)\n\t\tindex = -index;\n\tindex %= {size};\n",
                        f"index &= {3 if size > 3 else 1};\n"])
    ty = rng.choice(["int", "short", "signed char", "long"])
    return Part([f"static {rng.choice(['const ', ''])}{ty} table{n}[{size}] = {{{values}}};"],
                [f"static int look{n}(int index)\n{{\n\t{guard}\treturn table{n}[index];\n}}\n"],
                [show(rng, "look", f"look{n}({ints(rng)})")])


def part_pointers(rng, n):
    functions = [f"static int add{n}(int x, int y)\n{{\n\treturn x + y;\n}}\n",
                 f"static int sub{n}(int x, int y)\n{{\n\treturn x - y;\n}}\n",
                 f"static int other{n}(int x, int y)\n{{\n\treturn {expression(rng, ['x', 'y'])};\n}}\n",
                 f"static int (*const ops{n}[])(int, int) = {{ add{n}, sub{n}, other{n} }};\n"]
    return Part([], functions, [show(rng, "op", f"ops{n}[(unsigned)a % 3]({ints(rng)}, b)")])


def part_bits(rng, n):
    declarations = [f"struct flags{n} {{", f"\tunsigned low : {rng.randint(2, 4)};",
                    f"\tint sign : {rng.randint(3, 5)};", "\tunsigned char rest;", "};",
                    f"union both{n} {{", "\tunsigned word;", "\tunsigned char bytes[4];", "};"]
    uses = [f"struct flags{n} flags{n} = {{ a & 3, b & 3, {rng.randint(1, 250)} }};",
            f"flags{n}.{rng.choice(['low', 'sign', 'rest'])} += {rng.randint(1, 9)};",
            f'printf("%d %d %u\\n", flags{n}.low, flags{n}.sign, flags{n}.rest);']
    if rng.random() < 0.5:
        uses += [f"union both{n} both{n} = {{ (unsigned)a }};", f'printf("%02x\\n", both{n}.bytes[{rng.randint(0, 3)}]);']
    return Part(declarations, [], uses)


def part_sort(rng, n):
    size = rng.randint(3, 4)
    up = rng.choice("<>")
    functions = [f"static void sort{n}(int *v, int count)\n{{\n\tfor (int i = 0; i < count - 1; i++)\n"
                 f"\t\tfor (int j = i + 1; j < count; j++)\n\t\t\tif (v[j] {up} v[i]) {{\n"
                 "\t\t\t\tint t = v[i];\n\t\t\t\tv[i] = v[j];\n\t\t\t\tv[j] = t;\n\t\t\t}\n}\n"]
    values = ", ".join(["a", "b"] + [str(rng.randint(-5, 9)) for _ in range(size - 2)])
    call = f"sort{n}(v{n}, {size});"
    if rng.random() < 0.4:
        functions = [f"static int compare{n}(const void *x, const void *y)\n{{\n\tint p = *(const int *)x;\n"
                     f"\tint q = *(const int *)y;\n\treturn (p {up} q) - (q {up} p);\n}}\n"]
        call = f"qsort(v{n}, {size}, sizeof v{n}[0], compare{n});"
    return Part([], functions, [
        f"int v{n}[{size}] = {{{values}}};", call,
        f"for (int i = 0; i < {size}; i++)\n\t\tprintf(\"%d \", v{n}[i]);", "putchar('\\n');"])


def part_heap(rng, n):
    size = rng.randint(2, 4)
    allocate = rng.choice([f"malloc({size} * sizeof *box{n})", f"calloc({size}, sizeof *box{n})"])
    return Part([f"struct box{n} {{", "\tint id;", "\tchar name[6];", "};"], [], [
        f"struct box{n} *box{n} = {allocate};", f"if (box{n} == NULL)\n\t\treturn 9;",
        f"for (int i = 0; i < {size}; i++) {{\n\t\tbox{n}[i].id = {ints(rng)} + i;\n"
        f"\t\tstrncpy(box{n}[i].name, w, sizeof box{n}[i].name - 1);\n"
        f"\t\tbox{n}[i].name[sizeof box{n}[i].name - 1] = '\\0';\n\t}}",
        f'printf("%d %s\\n", box{n}[{rng.randrange(size)}].id, box{n}[{rng.randrange(size)}].name);',
        f"free(box{n});"])


def part_value(rng, n):
    return Part([f"typedef struct {{", "\tint first;", "\tlong second;", f"}} pair{n};"],
                [f"static pair{n} make{n}(int x, int y)\n{{\n\tpair{n} p = {{x, y}};\n"
                 f"\tif ({condition(rng, ['x', 'y'])})\n\t\tp.first = (int)p.second;\n\treturn p;\n}}\n"],
                [f"pair{n} p{n} = make{n}({ints(rng)}, {ints(rng)});",
                 f'printf("%d/%ld\\n", p{n}.first, p{n}.second);'])


def part_goto(rng, n):
    return Part([], [f"static int find{n}(int x)\n{{\n\tint i, j;\n\tfor (i = 0; i < 3; i++)\n"
                     f"\t\tfor (j = 0; j < 3; j++)\n\t\t\tif (i * {rng.randint(2, 4)} + j == x)\n"
                     "\t\t\t\tgoto found;\n\treturn -1;\nfound:\n"
                     f"\treturn {rng.choice(['i * 10 + j', 'j * 10 + i', 'i - j'])};\n}}\n"],
                [show(rng, "find", f"find{n}({ints(rng)})")])


def part_grid(rng, n):
    wide = rng.randint(2, 3)
    return Part([f"#define WIDE{n} {wide}", f"static char grid{n}[WIDE{n}][WIDE{n} + 1];"],
                [f"static void draw{n}(int x, int y)\n{{\n\tmemset(grid{n}, 0, sizeof grid{n});\n"
                 f"\tfor (int i = 0; i < WIDE{n}; i++)\n\t\tfor (int j = 0; j < WIDE{n}; j++)\n"
                 f"\t\t\tgrid{n}[i][j] = i {rng.choice(['==', '<', '>='])} x && j {rng.choice(['==', '<='])} y ? '#' : '.';\n"
                 f"\tfor (int i = 0; i < WIDE{n}; i++)\n\t\tputs(grid{n}[i]);\n}}\n"],
                [f"draw{n}({ints(rng)}, b & 1);"])


def part_narrow(rng, n):
    ty = rng.choice(["unsigned char", "signed char", "short", "unsigned short", "unsigned"])
    return Part([], [], [f"{ty} narrow{n} = ({ty})({ints(rng)} * {rng.choice([7, 37, 100, 1000])});",
                         f"narrow{n} {rng.choice(['+=', '-=', '*='])} {rng.randint(2, 99)};",
                         f"if (narrow{n} {rng.choice(['<', '>'])} {rng.choice([-1, 10, 100, 200])})\n"
                         f"\t\tb += {rng.randint(1, 3)};", show(rng, "narrow", f"(int)narrow{n}")])


def part_exit(rng, n):
    functions = [f"static void stop{n}(const char *why, int code)\n{{\n"
                 f"\tfprintf(stderr, \"stop: %s\\n\", why);\n\texit(code);\n}}\n"]
    uses = [f"if ({condition(rng, ['a', 'b'])})\n\t\tstop{n}(\"{rng.choice(['big', 'bad'])}\", {rng.randint(1, 4)});"]
    if rng.random() < 0.3:
        functions.append(f"static void bye{n}(void)\n{{\n\tputs(\"bye\");\n}}\n")
        uses.insert(0, f"atexit(bye{n});")
    return Part([], functions, uses)


def part_variadic(rng, n):
    return Part([], [f"static int total{n}(int count, ...)\n{{\n\tva_list list;\n\tint sum = 0;\n"
                     f"\tva_start(list, count);\n\twhile (count-- > 0)\n\t\tsum {rng.choice(['+=', '^='])} va_arg(list, int);\n"
                     "\tva_end(list);\n\treturn sum;\n}\n"],
                [show(rng, "total", f"total{n}(3, a, {ints(rng)}, {rng.randint(0, 9)})")])


def part_order(rng, n):
    """Global objects that refer to each other, also through constructors and weak definitions."""
    kind = rng.randrange(3)
    if kind == 0:
        return Part([f"static int base{n} = {rng.randint(1, 9)};", f"static int *const at{n} = &base{n};"], [],
                    [f"*at{n} += a;", show(rng, "base", f"base{n}")])
    if kind == 1:
        return Part([f"static int ready{n};"],
                    [f"__attribute__((constructor)) static void start{n}(void)\n{{\n\tready{n} = {rng.randint(1, 9)};\n}}\n"],
                    [show(rng, "ready", f"ready{n} + b")])
    return Part([f"int weight{n}(int x);"],
                [f"__attribute__((weak)) int weight{n}(int x)\n{{\n\treturn x + {rng.randint(1, 5)};\n}}\n"],
                [show(rng, "weight", f"weight{n}(a)")])


PARTS = [part_points, part_points, part_list, part_text, part_text, part_static, part_static,
         part_recursion, part_switch, part_do, part_macros, part_macros, part_macros, part_line,
         part_assert, part_table, part_table, part_pointers, part_bits, part_sort, part_heap,
         part_value, part_goto, part_grid, part_narrow, part_exit, part_variadic, part_order]


def reads(rng, mode):
    """Statements of main that set a, b and w, and the form of the input that they read."""
    if mode == "tokens":
        return token_reads(rng)
    low, high = sorted((rng.randint(-9, 0), rng.randint(3, 40)))
    if mode == "args":
        sizes = [rng.randint(1, 3) for _ in range(rng.randint(1, 2))]
        lines = [f"if (argc < {len(sizes) + 1})\n\t\treturn 64;", "const char *w = argv[1];",
                 f"int a = {rng.choice(['atoi(argv[1])', '(int)strlen(w)', 'w[0]', '(int)strtol(w, NULL, 10)'])};",
                 f"int b = {'argv[2][0]' if len(sizes) > 1 else rng.choice(['a / 2', '3', 'w[0] & 7'])};"]
        return lines, sizes
    size = rng.randint(2, 4)
    if rng.random() < 0.5:
        lines = ["char w[8];", "int a = 0, b = 0, c;",
                 f"while ((c = getchar()) != EOF && c != '{rng.choice([chr(92) + 'n', ' ', ';'])}' && b < {rng.randint(3, 7)}) {{\n"
                 f"\t\tif (isdigit(c))\n\t\t\ta = a * {rng.choice([10, 8, 2])} + (c - '0');\n"
                 "\t\tw[b++] = (char)c;\n\t}", "w[b] = '\\0';"]
    else:
        lines = ["char w[8];", f"if (fgets(w, {rng.randint(3, 8)}, stdin) == NULL)\n\t\treturn 1;",
                 "w[strcspn(w, \"\\n\")] = '\\0';",
                 f"int a = {rng.choice(['atoi(w)', 'w[0]', '(int)strlen(w)'])};",
                 f"int b = {rng.choice(['getchar()', 'w[0] == w[1]', '2'])};"]
    if rng.random() < 0.5:
        lines.append(f"if (a < {low} || a > {high})\n\t\treturn 2;")
    return lines, [size]


def token_reads(rng):
    low, high = sorted((rng.randint(-9, 0), rng.randint(3, 40)))
    shape = rng.randrange(6)
    word = "\"none\"" if rng.random() < 0.7 else "\"Ab1\""
    if shape == 0:
        lines = ["int a, b = 0;", f"char w[8] = {word};",
                 'if (scanf("%d", &a) != 1)\n\t\treturn 1;', "b = a / 2;"]
        kinds = ["int"]
    elif shape == 1:
        lines = ["int a, b;", f"const char *w = {word};",
                 'if (scanf("%d %d", &a, &b) != 2)\n\t\treturn 1;']
        kinds = ["int", "int"]
    elif shape == 2:
        lines = ["int a = 0, b = 0;", "char w[8] = \"\";", 'scanf("%7s", w);', 'scanf("%d", &a);',
                 f"b = {rng.choice(['(int)strlen(w)', 'w[0]', 'a - 1'])};"]
        kinds = ["word", "int"]
    elif shape == 3:
        lines = ["int a = 0, b = 0;", f"char c = 'x', w[8] = {word};",
                 f'if (scanf("%d{rng.choice([" ", ""])}%c", &a, &c) != 2)\n\t\treturn 1;' if rng.random() < 0.3
                 else 'if (scanf("%d %c", &a, &c) != 2)\n\t\treturn 1;',
                 "b = c;"]
        kinds = ["int", "char"]
    elif shape == 4:
        lines = ["unsigned u = 0;", "int a, b;", f"char w[8] = {word};", 'scanf("%u", &u);',
                 f"a = (int)(u % {rng.randint(5, 12)}u);", f"b = u > {rng.randint(2, 50)};"]
        kinds = ["unsigned"]
    else:
        count = rng.randint(2, 3)
        lines = ["int a = 0, b = 0, n;", f"char w[8] = {word};",
                 f"for (n = 0; n < {count}; n++) {{\n\t\tint x;\n\t\tif (scanf(\"%d\", &x) != 1)\n\t\t\tbreak;\n"
                 f"\t\tif (x {rng.choice(['< 0', '== 0', '> 9'])})\n\t\t\t{rng.choice(['continue', 'break'])};\n"
                 f"\t\ta += x;\n\t\tb = x;\n\t}}"]
        kinds = ["int"] * count
    if rng.random() < 0.75:
        lines.append(f"if (a < {low} || a > {high})\n\t\treturn {rng.randint(2, 4)};")
        lines.append(f"if (b < {low} || b > 127)\n\t\treturn {rng.randint(2, 4)};")
    return lines, kinds


def header(rng):
    """The lines of util.h (macros, an enum and an inline function), and statements that use them."""
    k = rng.randint(2, 9)
    ty = rng.choice(["int", "int", "long", "unsigned"])
    lines = ["#ifndef UTIL_H", "#define UTIL_H", "", f"#define BOUND {k}",
             f"#define SCALE(x) {rng.choice(['((x) * BOUND)', '((x) + BOUND)', 'x * 2', '((x) << 1)'])}",
             f"enum state {{ IDLE, BUSY{rng.choice([' = 3', ''])}, DONE }};", "",
             f"static inline {ty} mix({ty} x, {ty} y)", "{",
             f"\treturn x {rng.choice('+-^')} y {rng.choice('+-')} {rng.randint(0, 5)};", "}", ""]
    uses = rng.sample([f"if (a > BOUND)\n\t\ta = {rng.choice(['BOUND', 'SCALE(b)'])};",
                       show(rng, "scale", "SCALE(a + 1)"), show(rng, "mix", "(int)mix(a, b)"),
                       f"enum state state = {condition(rng, ['a', 'b'])} ? BUSY : DONE;\n"
                       "\tprintf(\"state %d\\n\", state);"], rng.randint(1, 3))
    return lines, uses


SYSTEM = ["assert.h", "ctype.h", "stdarg.h", "stdio.h", "stdlib.h", "string.h"]


def program(rng):
    """A random program."""
    mode = rng.choice(["tokens", "tokens", "tokens", "bytes", "bytes", "args"])
    lines, kinds = reads(rng, mode)
    parts = [make(rng, n) for n, make in enumerate(rng.sample(PARTS, rng.randint(2, 4)))]
    files = {}
    includes = [f"#include <{name}>" for name in SYSTEM]
    with_header = rng.random() < 0.5
    uses = [part.uses for part in parts]
    shared = []
    if with_header:
        shared, more = header(rng)
        uses.append(more)
        includes.append('#include "util.h"')
    rng.shuffle(uses)
    moved = None
    if with_header and rng.random() < 0.5:
        moved = next((p for p in parts if p.functions and not p.declarations
                      and all(f.startswith("static ") and "(*const" not in f for f in p.functions)
                      and "static void bye" not in "".join(p.functions)), None)
    body = []
    for part in parts:
        declared = "\n".join(part.declarations) + "\n" if part.declarations else ""
        if part is moved:
            functions = [f.removeprefix("static ") for f in part.functions]
            files["more.c"] = "\n".join(includes) + "\n\n" + "\n".join(functions)
            shared += [f.split("\n{", 1)[0] + ";" for f in functions]
        else:
            body.append(declared + "\n".join(part.functions))
    if with_header:
        files["util.h"] = "\n".join(shared + ["", "#endif", ""])
    main = ["int main(int argc, char **argv)" if mode == "args" else "int main(void)", "{"]
    for statement in lines + [s for group in uses for s in group]:
        main.append(statement if statement.startswith("#") else "\t" + statement)
    main.append(f"\treturn {rng.choice(['0', '0', 'a & 15', '(a + b) & 7', 'a > b', 'b & 3'])};")
    main.append("}")
    files["p.c"] = "\n".join(includes) + "\n\n" + "\n".join(b for b in body if b) + "\n" \
        + "\n".join(main) + "\n"
    return Program(files, mode, kinds)
