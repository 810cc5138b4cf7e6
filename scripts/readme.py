#!/usr/bin/env python3
"""Updates README.md with what psychic prints now: scripts/readme.py PSYCHIC

Every block after a line `<!-- output: NAME -->` is replaced by new output: `demo` comes from the
example of `make demo`, and `leap`, `ask` and `explain` from the subject that the README
describes, which is built from its text. The figures in the table of subjects come from results/*/summary.csv, and the table after
`<!-- table: everyday -->` from results/everyday.csv.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).parent.parent
README = TOP / "README.md"


def psychic(program, *arguments, cwd, answers=""):
    """The standard output of a run, without times; exits if the run does not decide everything."""
    done = subprocess.run([program, *arguments], cwd=cwd, input=answers, capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"psychic {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
    return re.sub(r"(, \d+\.\d s to build)?, \d+\.\d s$", "", done.stdout, flags=re.MULTILINE)


def leap(text, directory):
    """Makes the subject of the README's example in `directory`, as a person would by hand."""
    subject = directory / "leap"
    subject.mkdir()
    source = re.search(r"```c\n(.*?)```", text, re.DOTALL)[1]
    (subject / "leap.c").write_text(source)
    (subject / "subject.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    for name, condition in re.findall(r"^\| `(.*?\.diff)` \| `(.*)` \|$", text, re.MULTILINE):
        patched = source.replace("year % 4 == 0", condition.replace(r"\|", "|"))
        (directory / "leap.c").write_text(patched)
        labels = ["--label", "a/leap.c", "--label", "b/leap.c"]
        diff = subprocess.run(["diff", "-u", *labels, "leap/leap.c", "leap.c"], cwd=directory,
                              capture_output=True, text=True)
        (subject / name).write_text(diff.stdout)


def row(match):
    """The row of a subject in the table, with new figures and the old description."""
    name, description = match[1], match[2]
    with open(TOP / "results" / name / "summary.csv", newline="") as file:
        summary = next(csv.DictReader(file))
    columns = ["revisions", "classes", "height", "distinguished", "equivalent", "unknown"]
    figures = " | ".join(summary[column] for column in columns)
    return f"| [{name}](patches/{name}) | {description} | {figures} |"


def everyday():
    """The table of students' programs."""
    with open(TOP / "results" / "everyday.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {"program": "program", "seconds": "s", "distinguished": "told apart",
               "equivalent": "equivalent", "equivalent_unless_failing": "unless failing",
               "unknown": "unknown", "tests": "tests", "height": "height"}
    lines = [columns.values(), ["---"] * len(columns),
             *([row[name] for name in columns] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(program):
    """Rewrites README.md."""
    program = pathlib.Path(program).absolute()
    text = README.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        leap(text, scratch)
        outputs = {
            "demo": psychic(program, "diff", "patches/smallest", "--out", "target/demo", cwd=TOP),
            "leap": psychic(program, "diff", "leap", cwd=scratch),
            "ask": psychic(program, "ask", "results/leap", cwd=scratch, answers="1\n2\n").lstrip(),
            "explain": psychic(program, "explain", "leap", "0", "2", cwd=scratch),
        }

    text = re.sub(r"(<!-- output: (\w+) -->\n```\w+\n(?:\$ [^\n]*\n)?).*?```",
                  lambda match: match[1] + outputs[match[2]] + "```", text, flags=re.DOTALL)
    text = re.sub(r"^\| \[([\w-]+)\]\(patches/[\w-]+\) \| (.*?) \|.*$", row, text,
                  flags=re.MULTILINE)
    text = re.sub(r"(<!-- table: everyday -->\n)(\|.*\n)*", lambda match: match[1] + everyday(), text)
    README.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/readme.py PSYCHIC")
    main(sys.argv[1])
