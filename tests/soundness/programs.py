"""Makes random small C programs and random mutants of them from a seed.

A program is a tree of lists, so a mutation is a change of the tree. It is printed in two ways: as the C
file that psychic reads, and for brute force, with every array access checked and every name numbered
with the revision.
"""

import copy
import random

INTS = ["int", "int", "int", "unsigned", "long", "char", "unsigned char", "short"]
RANK = {"char": "%d", "unsigned char": "%d", "short": "%d", "int": "%d", "unsigned": "%u",
        "long": "%ld"}
ARITHMETIC = ["+", "-", "+", "-", "&", "|", "^", "*"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


class Printer:
    """Prints a program as C; with the number of a revision, for brute force."""

    def __init__(self, revision=None):
        self.revision = revision

    def name(self, name):
        return name if self.revision is None else f"{name}_r{self.revision}"

    def expr(self, e):
        kind = e[0]
        if kind == "num":
            return str(e[1]) if e[1] >= 0 else f"({e[1]})"
        if kind == "var":
            return self.name(e[1]) if e[1].startswith("g") else e[1]
        if kind == "bin":
            return f"({self.expr(e[2])} {e[1]} {self.expr(e[3])})"
        if kind == "un":
            return f"{e[1]}({self.expr(e[2])})"
        if kind == "cast":
            return f"(({e[1]})({self.expr(e[2])}))"
        if kind == "tern":
            return f"({self.expr(e[1])} ? {self.expr(e[2])} : {self.expr(e[3])})"
        if kind == "call":
            return f"{self.name(e[1])}({', '.join(self.expr(a) for a in e[2])})"
        if kind == "idx":
            array = self.name(e[1]) if e[1].startswith("g") else e[1]
            index = self.expr(e[3])
            return f"{array}[{index}]" if self.revision is None \
                else f"{array}[IDX({index}, {e[2]})]"
        raise AssertionError(kind)

    def block(self, body, depth):
        lines = []
        for statement in body:
            lines += self.statement(statement, depth)
        return lines

    def statement(self, s, depth):
        pad, kind = "\t" * depth, s[0]
        if kind == "decl":
            return [f"{pad}{s[1]} {s[2]} = {self.expr(s[3])};"]
        if kind == "array":
            return [f"{pad}{s[1]} {s[2]}[{len(s[3])}] = {{{', '.join(map(str, s[3]))}}};"]
        if kind == "assign":
            return [f"{pad}{self.expr(s[1])} {s[2]} {self.expr(s[3])};"]
        if kind == "if":
            lines = [f"{pad}if ({self.expr(s[1])}) {{"] + self.block(s[2], depth + 1)
            if s[3] is not None:
                lines += [f"{pad}}} else {{"] + self.block(s[3], depth + 1)
            return lines + [f"{pad}}}"]
        if kind == "for":
            step = f"{s[1]} {s[4]}" if s[4] else ""
            head = f"for (int {s[1]} = {s[2]}; {self.expr(s[3])}; {step}) {{"
            return [pad + head] + self.block(s[5], depth + 1) + [f"{pad}}}"]
        if kind == "while":
            return ([f"{pad}while ({self.expr(s[1])}) {{"] + self.block(s[2], depth + 1)
                    + [f"{pad}}}"])
        if kind == "switch":
            lines = [f"{pad}switch ({self.expr(s[1])}) {{"]
            for value, body, leaves in s[2]:
                lines.append(f"{pad}case {value}:" if value is not None else f"{pad}default:")
                lines += self.block(body, depth + 1)
                if leaves:
                    lines.append(f"{pad}\tbreak;")
            return lines + [f"{pad}}}"]
        if kind == "ret":
            return [f"{pad}return {self.expr(s[1])};"]
        if kind in ("break", "continue"):
            return [f"{pad}{kind};"]
        if kind == "block":
            return [f"{pad}{{"] + self.block(s[1], depth + 1) + [f"{pad}}}"]
        if kind == "print":
            args = "".join(f", {self.expr(a)}" for a in s[2])
            name = "printf" if self.revision is None else "OUT"
            return [f'{pad}{name}("{s[1]}"{args});']
        if kind == "scan":
            if self.revision is None:
                formats = " ".join(RANK[ty] for ty, _ in s[1])
                return [f'{pad}scanf("{formats}", {", ".join("&" + n for _, n in s[1])});']
            return [f"{pad}{name} = ({ty})INPUT({i});" for i, (ty, name) in enumerate(s[1])]
        raise AssertionError(kind)

    def program(self, p):
        lines = [] if self.revision is not None else ["#include <stdio.h>", ""]
        for ty, name, values in p["globals"]:
            if isinstance(values, list):
                init = "{" + ", ".join(map(str, values)) + "}"
                lines.append(f"static {ty} {self.name(name)}[{len(values)}] = {init};")
            else:
                lines.append(f"static {ty} {self.name(name)} = {values};")
        for ty, name, params, body in p["functions"]:
            lines.append("")
            static = "static " if name not in ("main", "f") else ""
            args = ", ".join(f"{t}{n}" if t.endswith("*") else f"{t} {n}" for t, n in params)
            lines += [f"{static}{ty} {self.name(name)}({args or 'void'})", "{"]
            lines += self.block(body, 1) + ["}"]
        return "\n".join(lines) + "\n"

    def reset(self, p):
        """Prints a function that resets the globals to their initial values."""
        lines = [f"static void reset_r{self.revision}(void)", "{"]
        for _, name, values in p["globals"]:
            if isinstance(values, list):
                lines += [f"\t{self.name(name)}[{i}] = {v};" for i, v in enumerate(values)]
            else:
                lines.append(f"\t{self.name(name)} = {values};")
        return "\n".join(lines + ["}"]) + "\n"


class Generator:
    """Makes one random program."""

    def __init__(self, rng, hostile):
        self.rng, self.hostile = rng, hostile
        self.scalars, self.constants, self.arrays, self.calls = [], [], [], []
        self.fresh = 0

    def new(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def number(self):
        return ["num", self.rng.choice([0, 1, 1, 2, 3, 4, 5, 7, 8, 10, 15, 63, 100, -1, -2, -3])]

    def expr(self, depth=3):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            names = self.scalars + self.constants
            return ["var", rng.choice(names)] if names and rng.random() < 0.75 else self.number()
        pick = rng.random()
        sub = lambda: self.expr(depth - 1)
        if pick < 0.45:
            op = rng.choice(ARITHMETIC)
            # Products of two unknowns would only be hard for the solver.
            if op == "*":
                return ["bin", op, sub(), ["num", rng.randint(2, 7)]]
            return ["bin", op, sub(), sub()]
        if pick < 0.52:
            return ["bin", rng.choice(["<<", ">>"]), sub(), ["num", rng.randint(0, 5)]]
        if pick < 0.60:
            by = ["num", rng.choice([2, 3, 4, 5, 7, -3])]
            if rng.random() < 0.1:
                by = ["bin", "|", ["bin", "&", sub(), ["num", 6]], ["num", 1]]
            if self.hostile and rng.random() < 0.2:
                by = sub()
            return ["bin", rng.choice(["/", "%"]), sub(), by]
        if pick < 0.68:
            return self.condition(depth - 1)
        if pick < 0.74:
            return ["un", rng.choice(["-", "~", "!"]), sub()]
        if pick < 0.80:
            return ["cast", rng.choice(INTS), sub()]
        if pick < 0.86:
            return ["tern", self.condition(depth - 1), sub(), sub()]
        if pick < 0.94 and self.arrays:
            return self.element(depth)
        if self.calls:
            name, count = rng.choice(self.calls)
            return ["call", name, [sub() for _ in range(count)]]
        return ["bin", "+", sub(), sub()]

    def element(self, depth):
        name, size = self.rng.choice(self.arrays)
        index = self.expr(depth - 1)
        if not (self.hostile and self.rng.random() < 0.3):
            mask = 1 << (size.bit_length() - 1)
            index = ["bin", "&", index, ["num", mask - 1]]
        return ["idx", name, size, index]

    def condition(self, depth=2):
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            op = rng.choice(["&&", "||"])
            return ["bin", op, self.condition(depth - 1), self.condition(depth - 1)]
        return ["bin", rng.choice(COMPARE), self.expr(min(depth, 2)), self.expr(min(depth, 1))]

    def target(self):
        if self.arrays and self.rng.random() < 0.25:
            return self.element(2)
        return ["var", self.rng.choice(self.scalars)]

    def statements(self, depth, count, loop=False):
        marks = len(self.scalars), len(self.constants), len(self.arrays)
        body = [self.statement(depth, loop) for _ in range(count)]
        del self.scalars[marks[0]:], self.constants[marks[1]:], self.arrays[marks[2]:]
        return body

    def statement(self, depth, loop):
        rng = self.rng
        pick = rng.random()
        if pick < 0.15 or not self.scalars:
            name, value = self.new("t"), self.expr()
            self.scalars.append(name)
            return ["decl", rng.choice(INTS), name, value]
        if pick < 0.50 or depth == 0:
            op = rng.choice(["=", "=", "=", "+=", "-=", "^=", "*="])
            return ["assign", self.target(), op, self.expr()]
        if pick < 0.72:
            then = self.statements(depth - 1, rng.randint(1, 2), loop)
            other = self.statements(depth - 1, 1, loop) if rng.random() < 0.5 else None
            return ["if", self.condition(), then, other]
        if pick < 0.80:
            name = self.new("i")
            self.constants.append(name)
            body = self.statements(depth - 1, rng.randint(1, 2), True)
            self.constants.remove(name)
            bound = ["num", rng.randint(2, 4)]
            return ["for", name, 0, ["bin", "<", ["var", name], bound], "++", body]
        if pick < 0.84:
            name = self.new("w")
            self.constants.append(name)
            inner = self.statements(depth - 1, 1, False)
            self.constants.remove(name)
            condition = ["bin", ">", ["var", name], ["num", 0]]
            if rng.random() < 0.5:
                condition = ["bin", "&&", condition, self.condition(1)]
            step = ["assign", ["var", name], "-=", ["num", 1]]
            return ["block", [["decl", "int", name, ["num", rng.randint(2, 4)]],
                              ["while", condition, inner + [step]]]]
        if pick < 0.90:
            cases = [[value, self.statements(depth - 1, 1), rng.random() < 0.7]
                     for value in rng.sample(range(-1, 5), rng.randint(1, 3))]
            if rng.random() < 0.6:
                cases.append([None, self.statements(depth - 1, 1), True])
            return ["switch", self.expr(2), cases]
        if pick < 0.93 and loop:
            return ["if", self.condition(), [[rng.choice(["break", "continue"])]], None]
        return ["if", self.condition(), [self.leave()], None]

    def leave(self):
        return ["ret", self.expr(2)]

    def outputs(self):
        """A statement that prints, also with numbers next to each other and next to digits."""
        rng = self.rng
        text, args = rng.choice(["", "", "x", "7", "-", "r="]), []
        for _ in range(rng.randint(1, 2)):
            form = rng.choice(["%d", "%d", "%d", "%x", "%3d", "%u", "%03d", "%c"])
            if form == "%c":
                value = ["bin", "+", ["num", 65], ["bin", "&", self.expr(1), ["num", 7]]]
            else:
                value = ["cast", "int", self.expr(1)]
            args.append(value)
            text += form + rng.choice(["", " ", "0", ",", "-", "\\n"])
        return ["print", text, args]


def make(seed):
    """A program, its domain and its settings: `subject.toml` without the patches."""
    rng = random.Random(seed)
    hostile = rng.random() < 0.4
    gen = Generator(rng, hostile)
    program = {"globals": [], "functions": []}
    for _ in range(rng.randint(0, 2)):
        name = gen.new("g")
        if rng.random() < 0.4:
            values = [rng.randint(-3, 9) for _ in range(4)]
            program["globals"].append([rng.choice(INTS), name, values])
            gen.arrays.append((name, 4))
        else:
            program["globals"].append([rng.choice(INTS), name, rng.randint(-2, 5)])
            gen.scalars.append(name)
    shared = gen.scalars[:], gen.arrays[:]
    if rng.random() < 0.5:
        params = [(rng.choice(INTS), gen.new("h")) for _ in range(rng.randint(1, 2))]
        gen.scalars += [name for _, name in params]
        body = gen.statements(1, rng.randint(1, 2)) + [["ret", gen.expr(2)]]
        name = gen.new("helper")
        program["functions"].append([rng.choice(INTS), name, params, body])
        gen.calls.append((name, len(params)))
    gen.scalars, gen.arrays = shared[0][:], shared[1][:]
    if rng.random() < 0.35:
        domain = stdin_program(gen, program)
    else:
        domain = function_program(gen, program)
    return program, domain


def function_program(gen, program):
    rng = gen.rng
    params, domain, size = [], {"kind": "function", "params": []}, 1
    for _ in range(rng.randint(1, 3)):
        name = gen.new("p")
        if rng.random() < 0.25 and size <= 30:
            ty, count = rng.choice(["int", "char", "unsigned"]), rng.randint(2, 3)
            low = rng.randint(-1, 0) if ty != "unsigned" else 0
            high = low + rng.randint(2, 3)
            params.append([f"{ty} *", name])
            domain["params"].append([name, ty, count, low, high])
            gen.arrays.append((name, count))
            size *= (high - low + 1) ** count
        else:
            ty = rng.choice(INTS)
            width = rng.choice([9, 20, 40]) if size > 1 else rng.choice([20, 60, 256])
            low = 0 if ty.startswith("unsigned") else rng.choice([-width // 2, 0, -3])
            if rng.random() < 0.1 and ty in ("int", "long"):
                low = 2**31 - width if ty == "int" else -2**63
            high = low + width - 1
            if ty == "char":
                low, high = max(low, -128), min(high, 127)
            if ty == "unsigned char":
                high = min(high, 255)
            params.append([ty, name])
            domain["params"].append([name, ty, 0, low, high])
            gen.scalars.append(name)
            size *= high - low + 1
        if size > 3000:
            break
    seen = [["var", name] for name in gen.scalars]
    body = gen.statements(2, rng.randint(3, 6))
    # Most computed values have to be shown; otherwise most mutants would be equivalent.
    result = gen.expr(1)
    for each in rng.sample(seen, min(len(seen), 2)):
        result = ["bin", rng.choice(["+", "^", "-"]), result, each]
    body.append(["ret", result])
    if rng.random() < 0.15:
        body.insert(rng.randrange(len(body)), gen.outputs())
    program["functions"].append([rng.choice(INTS), "f", params, body])
    return domain


def stdin_program(gen, program):
    rng = gen.rng
    count = rng.randint(1, 3)
    inputs = [(rng.choice(["int", "int", "int", "unsigned", "long"]), gen.new("p"))
              for _ in range(count)]
    half = {1: 60, 2: 12, 3: 5}[count]
    body = [["decl", ty, name, ["num", 0]] for ty, name in inputs]
    body.append(["scan", inputs])
    guard = None
    for _, name in inputs:
        here = ["bin", "||", ["bin", "<", ["var", name], ["num", 0]],
                ["bin", ">", ["var", name], ["num", 2 * half]]]
        guard = here if guard is None else ["bin", "||", guard, here]
    body.append(["if", guard, [["ret", ["num", 9]]], None])
    gen.scalars += [name for _, name in inputs]
    mark = len(gen.scalars), len(gen.arrays)
    work = [gen.statement(2, False) for _ in range(rng.randint(2, 5))]
    work.append(gen.outputs())
    if rng.random() < 0.5:
        work.insert(len(work) - 1, ["if", gen.condition(), [gen.outputs()], None])
    del gen.scalars[mark[0]:], gen.arrays[mark[1]:]
    body += work + [["ret", ["num", 0]]]
    program["functions"].append(["int", "main", [], body])
    return {"kind": "stdin", "inputs": inputs, "low": -2, "high": 2 * half + 2,
            "fixed": len(inputs) + 2}


# Mutation.


def expressions(tree, found):
    """Every place that holds an expression, as the list and the index in it."""
    kind = tree[0]
    places = {"decl": [3], "assign": [1, 3], "if": [1], "while": [1], "switch": [1], "ret": [1],
              "for": [3], "bin": [2, 3], "un": [2], "cast": [2], "tern": [1, 2, 3], "idx": [3]}
    for index in places.get(kind, []):
        if not (kind == "assign" and index == 1):
            found.append((tree, index))
        expressions(tree[index], found)
    if kind in ("call", "print"):
        for index in range(len(tree[2])):
            found.append((tree[2], index))
            expressions(tree[2][index], found)
    for body in bodies(tree):
        for statement in body:
            expressions(statement, found)


def bodies(statement):
    kind = statement[0]
    if kind == "if":
        return [body for body in statement[2:] if body is not None]
    if kind == "for":
        return [statement[5]]
    if kind == "while":
        return [statement[2]]
    if kind == "switch":
        return [case[1] for case in statement[2]]
    if kind == "block":
        return [statement[1]]
    return []


def lists(body, found):
    found.append(body)
    for statement in body:
        for inner in bodies(statement):
            lists(inner, found)


def mutable_bodies(program, domain):
    """The statement lists of each function, without the statements that bound the input."""
    for function in program["functions"]:
        body = function[3]
        yield function, (body[domain["fixed"]:] if function[1] == "main" else body)


def names_of(e, found):
    if e[0] == "var":
        found.append(e[1])
    for part in e[1:]:
        if isinstance(part, list):
            if part and isinstance(part[0], str):
                names_of(part, found)
            else:
                for each in part:
                    if isinstance(each, list) and each and isinstance(each[0], str):
                        names_of(each, found)


def mutate(rng, program, domain):
    """A copy of a program with one random change."""
    program = copy.deepcopy(program)
    function, body = rng.choice(list(mutable_bodies(program, domain)))
    fixed = function[3][:domain["fixed"]] if function[1] == "main" else []
    if rng.random() < 0.35:
        change_statement(rng, body, function)
    else:
        found = []
        for statement in body:
            expressions(statement, found)
        if found:
            holder, index = rng.choice(found)
            constant = holder[0] == "bin" and holder[1] in ("<<", ">>") and index == 3
            holder[index] = change_expression(rng, holder[index], constant, function)
    function[3] = fixed + body
    return program


def change_statement(rng, body, function):
    found = []
    lists(body, found)
    block = rng.choice([b for b in found if b] or [body])
    index = rng.randrange(len(block))
    pick = rng.random()
    chosen = block[index]
    declares = chosen[0] in ("decl", "array")
    if pick < 0.25:
        if declares:
            chosen[3] = ["num", rng.choice([0, 1])]
        elif len(block) > 1 and chosen[0] != "ret":
            # Without a return, the result would be whatever a register holds.
            del block[index]
    elif pick < 0.40 and not declares:
        block.insert(index, copy.deepcopy(chosen))
    elif pick < 0.55 and index + 1 < len(block):
        if "decl" not in (chosen[0], block[index + 1][0]):
            block[index], block[index + 1] = block[index + 1], chosen
    elif pick < 0.70:
        known = [name for ty, name in function[2] if not ty.endswith("*")]
        if function[1] == "main":
            known = [name for _, name in function[3][-1][1]] if function[3][-1][0] == "scan" else []
            known = known or [s[2] for s in function[3] if s[0] == "decl"][:1]
        left = ["var", rng.choice(known)] if known else ["num", 1]
        guard = ["bin", rng.choice(COMPARE), left, ["num", rng.randint(-1, 6)]]
        block.insert(0, ["if", guard, [["ret", ["num", rng.randint(0, 3)]]], None])
    elif pick < 0.80 and chosen[0] == "for":
        chosen[4] = rng.choice(["++", "++", "+= 2", ""])
    elif pick < 0.90 and chosen[0] == "if":
        guarded = chosen[2]
        if not any(s[0] == "decl" for s in guarded):
            block[index:index + 1] = guarded
    # A variable named like one in its own initial value would be that one, not yet written.
    elif chosen[0] == "assign" and chosen[2] == "=" and "temp" not in repr(chosen[3]):
        block[index:index + 1] = [["block", [
            ["decl", "long", "temp", chosen[3]],
            ["assign", chosen[1], "=", ["var", "temp"]]]]]
    elif chosen[0] == "if" and chosen[3] is not None:
        block[index] = ["if", ["un", "!", chosen[1]], chosen[3], chosen[2]]


def change_expression(rng, e, constant, function):
    if constant:
        return ["num", rng.randint(0, 7)]
    kind = e[0]
    if rng.random() < 0.4:
        return same(rng, e)
    if kind == "num":
        return ["num", e[1] + rng.choice([-1, 1])]
    if kind == "var":
        known = [name for ty, name in function[2] if not ty.endswith("*")]
        if known and rng.random() < 0.6:
            return ["var", rng.choice(known)]
        return rng.choice([["num", 0], ["bin", "+", e, ["num", 1]], ["un", "-", e],
                           ["cast", rng.choice(INTS), e]])
    if kind == "bin":
        op = e[1]
        if op in COMPARE:
            pick = rng.random()
            if pick < 0.6:
                return ["bin", rng.choice([o for o in COMPARE if o != op]), e[2], e[3]]
            other = ["bin", rng.choice(COMPARE), e[2], ["num", rng.randint(-2, 8)]]
            return ["bin", "&&" if pick < 0.8 else "||", e, other]
        if op in ("&&", "||"):
            return rng.choice([["bin", "&&" if op == "||" else "||", e[2], e[3]], e[2], e[3]])
        if op in ARITHMETIC:
            return ["bin", rng.choice([o for o in ARITHMETIC if o != op]), e[2], e[3]]
        return rng.choice([["bin", op, e[2], e[3]], e[2]])
    if kind == "cast":
        return rng.choice([e[2], ["cast", rng.choice(INTS), e[2]]])
    if kind == "tern":
        return rng.choice([["tern", e[1], e[3], e[2]], e[2], e[3]])
    if kind == "idx":
        return ["idx", e[1], e[2], ["bin", "&", ["bin", "+", e[3], ["num", 1]], ["num", 1]]]
    return ["cast", rng.choice(INTS), e]


def same(rng, e):
    """An expression that mostly has the same value; the harness does not rely on this."""
    kind = e[0]
    if kind == "bin":
        op, a, b = e[1], e[2], e[3]
        if op in ("+", "*", "&", "|", "^", "==", "!="):
            return ["bin", op, b, a]
        if op == "-":
            return ["bin", "+", a, ["un", "-", b]]
        if op in ("&&", "||"):
            dual = "||" if op == "&&" else "&&"
            return ["un", "!", ["bin", dual, ["un", "!", a], ["un", "!", b]]]
        if op in ("<", "<=", ">", ">="):
            opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op]
            flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
            return rng.choice([["un", "!", ["bin", opposite, a, b]], ["bin", flipped, b, a]])
    if kind == "tern":
        return ["tern", ["un", "!", e[1]], e[3], e[2]]
    return rng.choice([
        ["bin", "-", ["bin", "+", e, ["num", 3]], ["num", 3]],
        ["un", "-", ["un", "-", e]],
        ["un", "~", ["un", "~", e]],
        ["bin", "^", e, ["num", 0]],
        ["bin", "-", ["bin", "*", ["num", 2], e], e],
        ["bin", ">>", ["bin", "<<", e, ["num", 1]], ["num", 1]],
        ["cast", "long", e],
    ])


def family(seed, patches):
    """A program and up to `patches` mutants, all with different texts, and the program's domain."""
    program, domain = make(seed)
    rng = random.Random(seed * 7919 + 1)
    seen, revisions = {Printer().program(program)}, [program]
    for _ in range(patches * 8):
        if len(revisions) > patches:
            break
        start = rng.choice(revisions) if rng.random() < 0.3 else program
        mutant = mutate(rng, start, domain)
        text = Printer().program(mutant)
        if text not in seen:
            seen.add(text)
            revisions.append(mutant)
    return revisions, domain
