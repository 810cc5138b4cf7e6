"""Tests whole programs natively: they see the world that docs/world.md specifies, and programs that
scripts/programs.sh has built do the same as Debian's."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
CACHE = pathlib.Path(os.environ.get("PSYCHIC_CACHE") or HERE.parent.parent / ".cache").absolute()
MUSL = CACHE / "musl-whole"
PROGRAMS = CACHE / "programs"

FILES = {
    "empty": b"",
    "words": b"pear\napple\nfig\nFig\n\napples\nfig\nfig\n",
    "table": b"a:b:c\n1:2:3\nno delimiter\n::\nx:y",
    "numbers": b"10\n9\n2.5\n-3\n1e2\n007\n",
    "tabs": b"a\tb\n\tc\n    d       e\n",
    "bytes": bytes(range(256)),
    "sorted": b"a 1\nb 2\nd 4\n",
    "other": b"a x\nc y\nd z\n",
}
STDIN = b"hello world\nabc:def:ghi\n\n  12 34\nlast line"

# Command lines, separated by `|` or newlines, with words separated by blanks. Left out are numbers
# without digits (printf %f ""), for which musl's strtold, unlike glibc's, sets EINVAL.
COREUTILS = """
basename a/b.c .c|basename -a x/y z/|basename|basename -s .h a.h b.h|dirname a/b c /|dirname
echo hi there|echo -n x|echo -e a\\tb\\n|true|cat|cat words table|cat -A tabs|cat -n words -|cat none
cut -c1-3|cut -b2,4- words|cut -d: -f2 table|cut -d: -f1,3 --output-delimiter=+ table
cut -s -d: -f2- table|cut -c 0|cut --complement -c2 words|cut -f|seq 3|seq 2 2 9|seq 0.5 1 2.5
seq -w 8 11|seq -s, 4|seq -f %g 3|seq x|tail words|tail -n2|tail -n+2 words|tail -c4 words
head|head -n1 words table|head -c5|head -n-2 words|wc|wc -l words table|wc -c bytes|wc -w -
expr 1 + 2|expr 5 / 0|expr abc : a\\(.\\)|expr length hello|expr 3 < 2|expr index hello l
tr a-z A-Z|tr -d aeiou|tr -s l|tr -c a-z x|tr|nl|nl -ba words|fold -w4|fold -s -w6 words
paste words numbers|paste -s -d, words|paste - -|uniq words|uniq -c words|uniq -d words
comm sorted other|comm -12 sorted other|printf %d-%s\\n 1 a 2 b|printf %5.2f 3.14159|printf %x 255
printf %q|join sorted other|join -a1 sorted other|join -v2 sorted other|od bytes|od -c words
od -An -tx1 bytes|sum bytes|sum -s words|cksum bytes|cksum|tac words|tac -s: table|expand tabs
expand -t4 tabs|unexpand -a tabs|factor 12 97 600851475143 18446744073709551615|factor x
test a = a|test 1 -gt 2|test -f words|test -d .|test|sort words|sort -n numbers|sort -r words
sort -u words|sort -t: -k2 table|sort -c words|numfmt --to=iec 2048|numfmt --from=si 1k
numfmt x|ls|ls -a|ls words none|ls -1 -r
"""
GREP = """
grep hel|grep -v l|grep -c a words|grep -n fig words|grep -i FIG words|grep -E ^(a|p) words
grep -o [0-9]* numbers|grep -w fig words table|grep -x fig words|grep -l a words table|grep -q x
grep -F . numbers|grep a\\(p\\)\\1le words|grep -A1 apple words|grep -B1 -n apple words|grep -e a -e f words
grep -m1 fig words|grep -L fig words table|grep -h a words table|grep [ words|grep -b fig words
grep -E (.)\\1 words|grep x none|grep -s x none|grep -z a bytes|grep -c a bytes|grep -a a bytes
grep -r fig .|grep -E x{1,0}|grep --colour=always fig words|grep -f words table|grep -- -3 numbers
"""


def compile_whole(source, output):
    """Compiles one C file to a whole program in its world."""
    headers = subprocess.run(
        ["clang-19", "-print-resource-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run([
        "clang-19", "--target=x86_64-linux-musl", "-nostdinc", "-isystem", MUSL / "include",
        "-isystem", f"{headers}/include", "-O1", "-flto", "-fno-pie", "-w", source, "-o", output,
        "-static", "-nostdlib", "-fuse-ld=lld-19", MUSL / "lib/crt1.o", f"-L{MUSL}/lib", "-lc",
        "-lnative", "-lworld",
    ], check=True)


class World(unittest.TestCase):
    """Checks what a program sees."""

    def test_it_is_as_specified_wherever_it_runs(self):
        expected = (HERE / "world.expected").read_text()
        for _ in range(2):
            with tempfile.TemporaryDirectory() as directory:
                top = pathlib.Path(directory)
                compile_whole(HERE / "world.c", top / "program")
                (top / "work").mkdir()
                (top / "work").chmod(0o755)
                (top / "work/given").write_text("given\n")
                (top / "work/given").chmod(0o644)
                run = subprocess.run(
                    ["../program", "argument"], cwd=top / "work", input="standard input",
                    capture_output=True, text=True)
                self.assertEqual(run.stdout, expected)
                self.assertEqual((run.stderr, run.returncode), ("", -6))


class Programs(unittest.TestCase):
    """Runs the same command lines with Debian's programs and with ours."""

    def compare(self, package, lines):
        if not (PROGRAMS / package / "stamp").exists():
            self.skipTest(f"scripts/programs.sh {package} has not been run")
        for line in lines.replace("\n", "|").split("|"):
            words = line.split(" ")
            system = shutil.which(words[0])
            if not line or not system:
                continue
            # Inode numbers and the like may differ; what is printed must not.
            with self.subTest(line=line):
                theirs, ours = (
                    self.run_in_files([program, *words[1:]], words[0])
                    for program in (system, PROGRAMS / package / words[0]))
                self.assertEqual(ours, theirs)

    def run_in_files(self, command, name):
        """Runs a command in a directory with FILES; returns standard output, exit code and files."""
        with tempfile.TemporaryDirectory() as directory:
            top = pathlib.Path(directory)
            for file, content in FILES.items():
                (top / file).write_bytes(content)
            # Debian's program reads the first variable, ours the second.
            variables = {"LC_ALL": "C", "PSYCHIC_ENV_LC_ALL": "C"}
            run = subprocess.run(
                [name, *command[1:]], executable=command[0], cwd=top, input=STDIN,
                capture_output=True, env=variables, timeout=10)
            files = {path.name: path.read_bytes() for path in top.iterdir()}
            return run.stdout, run.returncode, files

    def test_coreutils(self):
        self.compare("coreutils", COREUTILS)

    def test_grep(self):
        self.compare("grep", GREP)


if __name__ == "__main__":
    unittest.main()
