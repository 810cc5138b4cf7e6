#!/usr/bin/env python3
"""Updates README.md and docs/tutorial.md with what psychic prints now: scripts/readme.py PSYCHIC

With --check, it changes nothing, and says what would change. Documents are named to take only these.

In the README, every block after a line `<!-- output: NAME -->` is replaced by new output: `demo` comes from the
example of `make demo`, and `leap`, `ask` and `explain` from the subject that the README
describes, which is built from its text. The figures in the table of subjects come from results/*/summary.csv, and the table after
`<!-- table: everyday -->` from results/everyday.csv.

In the tutorial, every command of every console block runs, in a home directory in which `psychic` is
this repository. The block after `<!-- file: NAME -->` is a file there, and `<!-- answers: 1 2 -->` is
what is typed into the next block.
"""

import argparse
import csv
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).parent.parent

# What a run took, at the end of a line.
TIMES = re.compile(r"(, \d+\.\d s to build)?, \d+\.\d s$", re.MULTILINE)


def psychic(program, *arguments, cwd, answers=""):
    """The standard output of a run, without times; exits if the run does not decide everything."""
    done = subprocess.run([program, *arguments], cwd=cwd, input=answers, capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"psychic {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
    return TIMES.sub("", done.stdout)


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


def readme(program, text):
    """README.md as it is to be."""
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
    return re.sub(r"(<!-- table: everyday -->\n)(\|.*\n)*", lambda match: match[1] + everyday(), text)


def tutorial(program, text):
    """docs/tutorial.md as it is to be."""
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        (home / "psychic").symlink_to(TOP)
        work, programs = home / "work", home / "bin"
        work.mkdir()
        programs.mkdir()
        (programs / "psychic").symlink_to(program)
        # The cache is found from the home directory otherwise.
        environment = {"PSYCHIC_CACHE": str(TOP / ".cache"), **os.environ, "HOME": str(home),
                       "PATH": f"{programs}:{os.environ['PATH']}"}

        def output(command, answers):
            if command.startswith("pdflatex ") and not shutil.which("pdflatex"):
                print("not run, as there is no pdflatex:", command, file=sys.stderr)
                return ""
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=work, env=environment, input=answers,
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"$ {command}\n{done.stdout}{done.stderr}exit status {done.returncode}")
            return TIMES.sub("", done.stdout).lstrip("\n")

        def block(match):
            head, kind, about, language, body = match.groups()
            if kind == "file":
                (work / about).write_text(body)
            if language != "console":
                return match[0]
            answers = "".join(f"{answer}\n" for answer in (about or "").split())
            commands = [line for line in body.splitlines() if line.startswith("$ ")]
            shown = "".join(f"{command}\n{output(command[2:], answers)}" for command in commands)
            return f"{head}```console\n{shown}```"

        return re.sub(r"((?:<!-- (file|answers): (.*?) -->\n)?)```(\w+)\n(.*?)```", block, text,
                      flags=re.DOTALL)


DOCUMENTS = {"README.md": readme, "docs/tutorial.md": tutorial}


def main():
    """Rewrites or checks the documents. Returns whether all of them are as they are to be."""
    parser = argparse.ArgumentParser(usage="scripts/readme.py [--check] PSYCHIC [DOCUMENT...]")
    parser.add_argument("program")
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).absolute()
    if unknown := set(arguments.documents) - set(DOCUMENTS):
        parser.error(f"{', '.join(unknown)}: none of {', '.join(DOCUMENTS)}")
    is_current = True
    for name in arguments.documents or DOCUMENTS:
        old = (TOP / name).read_text()
        new = DOCUMENTS[name](program, old)
        if not arguments.check:
            (TOP / name).write_text(new)
        elif old != new:
            is_current = False
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), name, "what psychic prints"))
    return is_current


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
