"""Makes random textual changes to C files, like those that people and patch generators make.

A mutation takes the files of a program by name and returns changed ones, or None if it finds nothing to
change. The result may not compile.
"""

import re

import sources

OPERATORS = {"+": "-*", "-": "+", "*": "+-", "<": [">", "<=", ">="], ">": ["<", ">=", "<="],
             "<=": ["<", "=="], ">=": [">", "!="], "==": ["!=", "<="], "!=": ["==", ">"],
             "&&": ["||"], "||": ["&&"], "+=": ["-=", "="], "-=": ["+=", "="], "%": "/&", "/": "%",
             "&": "|", "|": "&^", "^": "|+", "++": ["--"], "--": ["++"], ">>": ["<<", "/"]}
OPERATOR = re.compile(r" (\+=|-=|<=|>=|==|!=|&&|\|\||>>|[-+*/%<>&|^]) |(\+\+|--)")
NUMBER = re.compile(r"(?<![\w.\"'%#])\d+(?=[uL]?\b)(?![\w.]*\.h)")
TYPES = ["int", "long", "unsigned", "char", "short", "unsigned char", "signed char", "long long",
         "unsigned long", "unsigned short", "_Bool"]
TYPE = re.compile(r"\b(unsigned char|signed char|unsigned short|int|long|unsigned|short|char)\b(?= \**\w+)")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
STATEMENT = re.compile(r"^\t+[^\t{}#][^{}]*;$")
READING = re.compile(r"scanf")


def pick(rng, files, accept, of=None):
    """A random file and the number of a line in it that is accepted."""
    found = [(name, i) for name in sorted(files) for i, line in enumerate(files[name].split("\n"))
             if accept(line) and (of is None or name.endswith(of))]
    return rng.choice(found) if found else None


def replaced(files, name, index, lines):
    text = files[name].split("\n")
    text[index:index + 1] = lines
    return {**files, name: "\n".join(text)}


def in_line(rng, files, pattern, change, accept=lambda line: True):
    """Changes one random match of the pattern."""
    place = pick(rng, files, lambda line: pattern.search(line) and accept(line)
                 and "#include" not in line)
    if not place:
        return None
    name, index = place
    line = files[name].split("\n")[index]
    match = rng.choice(list(pattern.finditer(line)))
    new = change(match)
    return new and replaced(files, name, index, [line[:match.start()] + new + line[match.end():]])


def operator(rng, files):
    def change(match):
        old = match.group(1) or match.group(2)
        new = rng.choice(list(OPERATORS[old]))
        return f" {new} " if match.group(1) else new
    return in_line(rng, files, OPERATOR, change)


def constant(rng, files):
    def change(match):
        n = int(match.group())
        # C has no arrays without elements, and AddressSanitizer does not watch them.
        array = match.string[:match.start()].endswith("[") and TYPE.search(match.string)
        return str(max(1 if array else 0, rng.choice([n + 1, n - 1, 0, n * 2, n + 10, n ^ 1])))
    return in_line(rng, files, NUMBER, change, lambda line: not READING.search(line))


def deleted(rng, files):
    place = pick(rng, files, STATEMENT.match)
    return place and replaced(files, *place, rng.choice([[], [], ["\t;"]]))


def repeated(rng, files):
    place = pick(rng, files, STATEMENT.match)
    if not place:
        return None
    line = files[place[0]].split("\n")[place[1]]
    return replaced(files, *place, [line, line])


def swapped_lines(rng, files):
    place = pick(rng, files, STATEMENT.match)
    if not place:
        return None
    name, index = place
    lines = files[name].split("\n")
    if not STATEMENT.match(lines[index + 1]):
        return None
    lines[index], lines[index + 1] = lines[index + 1], lines[index]
    return {**files, name: "\n".join(lines)}


CONDITION = re.compile(r"\b(if|while) \((.*)\)(?=$| \{$)")


def negated(rng, files):
    return in_line(rng, files, CONDITION, lambda m: rng.choice([
        f"{m.group(1)} (!({m.group(2)}))", f"{m.group(1)} ({m.group(2)} && a > 1)",
        f"{m.group(1)} (1 && ({m.group(2)}))", f"{m.group(1)} (({m.group(2)}) != 0)"]))


def swapped_branches(rng, files):
    pattern = re.compile(r"(\tif \([^\n]*\)\n)(\t+[^\n{}]*;\n)(\t+else\n)(\t+[^\n{}]*;\n)")
    names = [name for name in sorted(files) if pattern.search(files[name])]
    if not names:
        return None
    name = rng.choice(names)
    match = rng.choice(list(pattern.finditer(files[name])))
    text = files[name]
    new = match.group(1) + match.group(4) + match.group(3) + match.group(2)
    return {**files, name: text[:match.start()] + new + text[match.end():]}


def macro_body(rng, files):
    pattern = re.compile(r"(#define \w+(?:\([\w, .]*\))? )(\S.*)$")

    def change(match):
        head, body = match.groups()
        number = NUMBER.search(body)
        return head + rng.choice([
            f"({body})", f"{body} + 1", f"0 + {body}", f"{body} /* so */", body.replace("(", "( "),
            re.sub(r"\d+", str(rng.randint(0, 12)), body), body.replace("+", "-"),
            body.replace(">", "<"), f"-{body}" if number else f"1 * {body}"])
    return in_line(rng, files, pattern, change)


NOTES = ["/* note */", "// checked", "", "", "/* two\n   lines */"]


def added_line(rng, files):
    """Adds a comment, an empty line or a #line, which may change the line numbers of what follows."""
    name = rng.choice(sorted(files))
    index = rng.randrange(len(files[name].split("\n")) - 1)
    line = files[name].split("\n")[index]
    if line.endswith("\\"):
        return None
    return replaced(files, name, index, rng.choice([[rng.choice(NOTES), line], [line + " // same"],
                                                    ["#line 7" if rng.random() < 0.2 else "", line]]))


def added_macro(rng, files):
    name = rng.choice(sorted(files))
    names = sorted(set(re.findall(r"\b(?:BOUND|LIMIT\d|LEVEL\d|SCALE|TWICE\d|a|b|x|tick\d|look\d|total|mix)\b",
                                  files[name])))
    used = rng.choice(names or ["EXTRA"])
    body = rng.choice([f"#define EXTRA{rng.randint(0, 3)} {rng.randint(0, 9)}",
                       f"#ifndef {used}\n#define {used} {rng.randint(1, 9)}\n#endif",
                       f"#define {used} ({used} + 1)" if used.islower() else f"#undef {used}\n#define {used} 4",
                       f"#define {used}(x) (x)", "#define NDEBUG", "#undef NDEBUG",
                       f"#define puts(s) printf(\"%s\\n\", s)", "#define isdigit(c) ((c) >= '0' && (c) <= '9')",
                       "#define strlen(s) (strlen)(s)", "#define int long" if rng.random() < 0.2 else "#define MORE 1"])
    place = pick(rng, {name: files[name]}, lambda line: line == "" or line.startswith("#include"))
    if not place:
        return None
    line = files[name].split("\n")[place[1]]
    return replaced(files, name, place[1], rng.choice([[line, body], [body, line]]))


def changed_type(rng, files):
    return in_line(rng, files, TYPE, lambda m: rng.choice(TYPES),
                   lambda line: not READING.search(line))


def fields(rng, files):
    """Reorders the fields of a struct, or adds one."""
    pattern = re.compile(r"(\n(?:typedef )?struct ?\w* \{\n)((?:\t[^\n]*;\n)+)(?=\})")
    names = [name for name in sorted(files) if pattern.search(files[name])]
    if not names:
        return None
    name = rng.choice(names)
    match = rng.choice(list(pattern.finditer(files[name])))
    members = match.group(2).splitlines(True)
    if rng.random() < 0.5:
        rng.shuffle(members)
    else:
        members.insert(rng.randint(0, len(members)),
                       rng.choice(["\tint extra;\n", "\tchar pad[3];\n", "\tlong spare;\n"]))
    text = files[name]
    return {**files, name: text[:match.start(2)] + "".join(members) + text[match.end(2):]}


def array_size(rng, files):
    return in_line(rng, files, re.compile(r"(?<=\w)\[(\d+)\](?=;| =)"), lambda m: "[%d]" % max(
        1, int(m.group(1)) + rng.choice([-2, -1, 1, 1, 2, 8])), lambda line: not READING.search(line))


def form(rng, files):
    """Changes the text of a format or of a message."""
    def change(match):
        text = match.group(1)
        conversions = list(re.finditer(r"%[-+#0]*[\d.]*([dioxXu])", text))
        if conversions and rng.random() < 0.6:
            at = rng.choice(conversions)
            new = rng.choice(["%d", "%i", "%u", "%x", "%3d", "%03d", "%-3d", "%+d", "%hhd", "%ld", "%.2d", "%c"])
            text = text[:at.start()] + new + text[at.end():]
        elif rng.random() < 0.3:
            half = len(text) // 2
            if "\\" not in text and "%" not in text:
                return f'"{text[:half]}" "{text[half:]}"'
            return None
        else:
            text = rng.choice([text.replace("\\n", " \\n"), text.upper() if "%" not in text and "\\" not in text
                               else text + " ", text.replace("=", ":"), " " + text])
        return f'"{text}"'
    return in_line(rng, files, TEXT, change, lambda line: "scanf" not in line and "fopen" not in line)


def renamed(rng, files):
    """Renames a function or a variable everywhere."""
    text = "\n".join(files.values())
    names = sorted(set(re.findall(r"\b[a-z]+\d\b", text)) | {"a", "b"})
    old = rng.choice(names)
    new = rng.choice([old + "_", "my_" + old, "renamed"])
    return {name: re.sub(rf"(?<![\w\"'%]){old}\b(?!['\"])", new, body) for name, body in files.items()}


def added_function(rng, files):
    name = rng.choice([n for n in sorted(files) if n.endswith(".c")])
    place = pick(rng, {name: files[name]}, lambda line: line == "}")
    if not place:
        return None
    k = rng.randint(0, 5)
    body = rng.choice([f"static int helper(int x)\n{{\n\treturn x + {k};\n}}",
                       f"int helper(int x)\n{{\n\tstatic int calls;\n\treturn x + calls++;\n}}",
                       f"int abs(int x)\n{{\n\treturn x < 0 ? -x : x + {k};\n}}" if rng.random() < 0.3
                       else "static void nothing(void)\n{\n}",
                       f"__attribute__((constructor)) static void early(void)\n{{\n\tputs(\"early {k}\");\n}}",
                       f"int weight{rng.randint(0, 3)}(int x)\n{{\n\treturn x - {k};\n}}"])
    return replaced(files, place[0], place[1], ["}", "", body])


def called_helper(rng, files):
    """Adds a function, and passes the value of a return statement through it."""
    name = "p.c"
    place = pick(rng, {name: files[name]}, lambda line: re.match(r"\treturn .*;$", line))
    begin = pick(rng, {name: files[name]}, lambda line: line.startswith("static ") and line.endswith(")"))
    if not place or not begin or begin[1] > place[1]:
        return None
    lines = files[name].split("\n")
    value = re.match(r"\treturn (.*);$", lines[place[1]]).group(1)
    lines[place[1]] = f"\treturn kept({value});"
    body = rng.choice(["return value;", "return value + 0;", "return value < 7 ? value : 7;",
                       "static int last;\n\tlast = value;\n\treturn last;"])
    lines.insert(begin[1], f"static int kept(int value)\n{{\n\t{body}\n}}\n")
    return {**files, name: "\n".join(lines)}


def added_static(rng, files):
    place = pick(rng, files, lambda line: re.match(r"\treturn [^;]*;$", line), ".c")
    if not place:
        return None
    line = files[place[0]].split("\n")[place[1]]
    return replaced(files, *place, [rng.choice([
        "\tstatic int seen = 0;\n\tseen++;", "\tstatic int seen;\n\tif (seen++ > 1)\n\t\tputs(\"again\");",
        "\tint unused = 3;\n\t(void)unused;", "\tif (0)\n\t\tputs(\"never\");"]), line])


def added_include(rng, files):
    place = pick(rng, files, lambda line: line.startswith("#include"))
    if not place:
        return None
    line = files[place[0]].split("\n")[place[1]]
    return replaced(files, *place, rng.choice([
        [line, f"#include <{rng.choice(['limits.h', 'stdint.h', 'stdbool.h', 'unistd.h', 'errno.h', 'math.h'])}>"],
        [line, line]]))


def new_header(rng, files):
    """Adds a header, and includes it."""
    place = pick(rng, files, lambda line: line.startswith("#include"), ".c")
    if not place or "extra.h" in files:
        return None
    line = files[place[0]].split("\n")[place[1]]
    body = rng.choice(["#define EXTRA 1\n", "static int extra_value = 3;\n", "enum { EXTRA_ONE = 1 };\n",
                       "#define BOUND 3\n", "#define a aa\n", "#pragma once\nint extra(int);\n",
                       "static inline int extra(int x) { return x + 1; }\n"])
    return {**replaced(files, *place, [line, '#include "extra.h"']), "extra.h": body}


def inlined_header(rng, files):
    """Replaces an #include by the header's text, and removes the header."""
    if "util.h" not in files or "more.c" in files:
        return None
    files = dict(files)
    text = files.pop("util.h")
    return {**files, "p.c": files["p.c"].replace('#include "util.h"\n', text)}


def initialiser(rng, files):
    return in_line(rng, files, re.compile(r"(?<= = )(\{[^{}]*\}|-?\d+)(?=;|, )"), lambda m: rng.choice([
        "{0}" if m.group().startswith("{") else str(rng.randint(-3, 9)),
        m.group().replace(", ", ",") + (" " if rng.random() < 0.5 else ""),
        re.sub(r"\d", lambda d: str((int(d.group()) + 1) % 10), m.group())]))


def layout(rng, files):
    """Changes the layout but not the tokens; line numbers may change."""
    name = rng.choice(sorted(files))
    text = files[name]
    kind = rng.randrange(5)
    if kind == 0:
        new = text.replace("\t", "    ")
    elif kind == 1:
        new = text.replace("\n{\n", " {\n")
    elif kind == 2:
        new = re.sub(r";\n\t(?=[a-z])", "; ", text, count=rng.randint(1, 4))
    elif kind == 3:
        new = re.sub(r"(?<=[\w)]) ([-+*]) (?=\w)", r"\1", text)
    else:
        new = re.sub(r"\b(if|while|for) \(", r"\1(", text)
    return {**files, name: new}


def no_change(rng, files):
    """Replaces code by mostly equivalent code."""
    pattern = re.compile(r"(?<==|n) ([a-z]\w*) ([-+&|^]) (\w+);")
    kind = rng.randrange(5)
    if kind == 0:
        return in_line(rng, files, pattern, lambda m: f" ({m.group(3)} {m.group(2)} {m.group(1)});"
                       if m.group(2) != "-" else f" {m.group(1)} + -({m.group(3)});")
    if kind == 1:
        return in_line(rng, files, re.compile(r"\breturn (.*);"), lambda m: rng.choice(
            [f"return ({m.group(1)});", f"return ({m.group(1)}) + 0;", f"return 0 + ({m.group(1)});"]))
    if kind == 2:
        return in_line(rng, files, re.compile(r"\b(\w+) \+= (\w+);"), lambda m: f"{m.group(1)} = {m.group(2)} + {m.group(1)};")
    if kind == 3:
        return in_line(rng, files, re.compile(r"\b(\w+)\[(\w+)\]"), lambda m: f"*({m.group(1)} + {m.group(2)})",
                       lambda line: not TYPE.search(line))
    return in_line(rng, files, re.compile(r"\b(i|j|count|place)\+\+"), lambda m: rng.choice([f"++{m.group(1)}", f"{m.group(1)} += 1"])
                   if m.group(1) in "ij" else None)


def guard(rng, files):
    """Makes a statement conditional, or repeats it in both arms of a condition."""
    place = pick(rng, files, lambda line: re.match(r"^\t(?!return|int|long|char|static|struct|unsigned|const|short|enum|else|\w+ \w+ =|\})[a-z][^{}#]*;$", line), ".c")
    if not place:
        return None
    statement = files[place[0]].split("\n")[place[1]].strip()
    names = ["a", "b"] if place[0] == "p.c" else ["x"]
    test = sources.condition(rng, names)
    return replaced(files, *place, [f"\tif ({test})", f"\t\t{statement}"]
                    + ([] if rng.random() < 0.5 else ["\telse", f"\t\t{statement}"]))


def early_return(rng, files):
    place = pick(rng, files, STATEMENT.match, ".c")
    if not place or not files[place[0]].split("\n")[place[1]].startswith("\tprintf"):
        return None
    line = files[place[0]].split("\n")[place[1]]
    return replaced(files, *place, [f"\tif ({sources.condition(rng, ['a', 'b'])})",
                                    f"\t\treturn {rng.randint(0, 9)};", line])


MUTATIONS = [operator, operator, operator, constant, constant, constant, deleted, deleted, repeated,
             swapped_lines, negated, swapped_branches, macro_body, macro_body, added_line, added_line,
             added_macro, added_macro, changed_type, changed_type, fields, fields, array_size, form,
             form, renamed, added_function, called_helper, added_static, added_include, new_header,
             inlined_header, initialiser, layout, layout, no_change, no_change, no_change, guard,
             early_return]


def mutant(rng, files):
    """The files after one to three mutations."""
    changed, wanted = files, rng.choice([1, 1, 1, 2, 3])
    for _ in range(20):
        new = rng.choice(MUTATIONS)(rng, changed)
        if new and new != changed:
            changed, wanted = new, wanted - 1
            if not wanted:
                break
    return changed
