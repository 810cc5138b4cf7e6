#!/usr/bin/env python3
"""Compares the revisions of a subject natively, without any code of psychic.

    tests/native/compare.py SUBJECT [RESULTS]

Builds the original and every patched source on its own with patch(1) and clang-19, runs
all of them on many inputs (with the C library's mathematical functions that belong to the results:
no two libraries agree), and prints as JSON which revisions were never seen to differ.
Given the directory that `psychic diff` wrote, checks that nothing in it is contradicted:
every test must cluster these builds just as it says.
Exits 1 with a message where something is, 2 where nothing could be compared.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

import inputs
import ktest
import musl
import results

HERE = pathlib.Path(__file__).parent
LIMIT_MS = 50
MAX_HANGS = 20
FLAGS = [
    "-O1", "-w", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Dmain=psychic_main", "-Dexit=psychic_exit",
    # With these, what C leaves undefined means what the machine's instructions do.
    "-fwrapv", "-fno-strict-aliasing", "-fno-finite-loops", "-fno-delete-null-pointer-checks",
]


class Unusable(Exception):
    """Nothing can be compared; the message says why."""


def run(command, **options):
    """Runs a command that must succeed; returns its standard output."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise Unusable(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def numbered_patches(subject, config):
    """The patches in the order in which revisions are numbered from 1."""
    found = []
    for pattern in config["patches"]:
        found += [p for p in sorted(subject.glob(pattern)) if p not in found]
    return found


def sources(subject, config, scratch):
    """The directory of the unpatched sources."""
    setup = config.get("build", {}).get("setup")
    if not setup:
        return subject
    directory = scratch / "source"
    directory.mkdir()
    environment = {**os.environ, "PSYCHIC_SOURCE": str(directory)}
    run(["sh", "-c", setup], cwd=subject, env=environment)
    return directory


def apply(patch, directory):
    """Applies a patch with -p1 or -p0, as its paths require."""
    for strip in ("-p1", "-p0"):
        command = ["patch", strip, "-d", directory, "-i", patch, "--batch", "--forward"]
        if subprocess.run([*command, "--dry-run"], capture_output=True).returncode == 0:
            run(command)
            return
    raise Unusable(f"{patch} does not apply")


def build(source, config, patch, output, scratch):
    """Builds one revision as a shared object."""
    directory = scratch / output.stem
    for name in config["sources"]:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, directory / name)
    if patch:
        apply(patch, directory)
    flags = config.get("build", {}).get("flags", [])
    sources = [directory / name for name in config["sources"]]
    command = ["clang-19", *FLAGS, *flags, *sources, "-lm"]
    run([*command, "-o", output])
    undefined = run(["llvm-nm-19", "-D", "-P", "-u", output]).splitlines()
    if library := musl.mathematical(line.split()[0] for line in undefined):
        run([*command, *library, "-o", output])


def shim(config, domain, parameters):
    """C source that calls the entry on a record, or prints the record as standard input."""
    stderr = int(config.get("outputs", {}).get("stderr", True))
    offsets, offset = [], 0
    for item in parameters:
        offsets.append(offset)
        offset += item.size
    values = [p.declaration(o) for p, o in zip(parameters, offsets)]
    if "stdin" in domain:
        entry = "psychic_main"
        call = "((int (*)(void))entry)()"
        text = f'snprintf(text, size, "{" ".join(["%lld"] * len(values))}\\n", ' + \
            ", ".join(f"(long long){v}" for v in values) + ")"
    else:
        entry = config["entry"]
        kinds = ", ".join(getattr(p, "type", "char *") for p in parameters)
        call = f"(({domain['result']} (*)({kinds}))entry)({', '.join(values)})"
        if domain["result"] in ("float", "double"):
            # Results are compared by their bits.
            call = f"((union {{ {domain['result']} value; long bits; }}) {{ .value = {call} }}).bits"
        text = "0"
    return f"""#include <fenv.h>
#include <stdio.h>
const char psychic_entry[] = "{entry}";
const int psychic_stderr = {stderr};
long psychic_call(void *entry, char *record) {{ fesetenv(FE_DFL_ENV); return {call}; }}
int psychic_stdin(const char *record, char *text, int size) {{ return {text}; }}
"""


class Revisions:
    """All revisions of a subject, each built on its own, and the driver that runs them."""

    def __init__(self, subject, config, patches, scratch):
        domains = tomllib.loads((HERE / "domains.toml").read_text())
        if config["name"] not in domains:
            raise Unusable(f"tests/native/domains.toml has no inputs for {config['name']}")
        self.scratch = scratch
        self.domain = domains[config["name"]]
        self.parameters = [
            inputs.parameter(item) for item in self.domain.get("stdin") or self.domain["params"]]
        self.size = sum(item.size for item in self.parameters)
        source = sources(subject, config, scratch)
        self.objects = []
        for revision, patch in enumerate([None, *patches]):
            self.objects.append(scratch / f"revision{revision}.so")
            build(source, config, patch, self.objects[-1], scratch)
        (scratch / "shim.c").write_text(shim(config, self.domain, self.parameters))
        run(["clang-19", "-O2", "-Wall", "-rdynamic", HERE / "driver.c", scratch / "shim.c",
             "-lm", "-o", scratch / "driver"])

    def run(self, records):
        """The lines that the driver prints on these records, each split into at most four fields."""
        (self.scratch / "inputs").write_bytes(records)
        report = subprocess.run(
            [self.scratch / "driver", self.scratch / "inputs", str(self.size), str(LIMIT_MS),
             str(MAX_HANGS), *self.objects], capture_output=True, text=True, errors="replace")
        if report.returncode:
            raise Unusable(f"the driver stopped with {report.returncode}: {report.stderr}")
        return [line.split(" ", 3) for line in report.stdout.splitlines()]

    def observe(self):
        """Runs all inputs; returns their number, a witness for each pair that differs, and the
        revisions that were dropped after too many endless runs, each with the number of the input."""
        data = b"".join(inputs.records(self.parameters))
        texts, differ, dropped = {}, {}, {}
        for kind, *rest in self.run(data):
            if kind == "pair":
                differ[int(rest[0]), int(rest[1])] = int(rest[2])
            elif kind == "outcome":
                texts[int(rest[0]), int(rest[1])] = rest[2].strip()
            elif kind == "dropped":
                dropped[int(rest[0])] = int(rest[1])
        witnesses = {}
        for (a, b), number in differ.items():
            record, values, offset = data[number * self.size:(number + 1) * self.size], [], 0
            for item in self.parameters:
                values.append(readable(item, record[offset:offset + item.size]))
                offset += item.size
            witnesses[a, b] = (f"on {' '.join(values)} {a} gives `{texts[a, number]}`"
                               f" and {b} gives `{texts[b, number]}`")
        return len(data) // self.size, witnesses, dropped

    def replay(self, path):
        """The pairs that differ on the input of a .ktest file."""
        objects = ktest.read(path)
        if "stdin" in self.domain:
            values = [int(token) for token in objects.get("stdin", b"").split()]
        else:
            values = [item.decode(objects[item.name]) for item in self.parameters]
        if len(values) != len(self.parameters):
            raise Unusable(f"{path} has {len(values)} values, not {len(self.parameters)}")
        record = b"".join(item.encode(value) for item, value in zip(self.parameters, values))
        return {(int(rest[0]), int(rest[1])) for kind, *rest in self.run(record) if kind == "pair"}


def readable(item, data):
    """A parameter's bytes as a person would write it."""
    if isinstance(item, inputs.String):
        return json.dumps(data.partition(b"\0")[0].decode("latin-1"))
    return str(inputs.struct.unpack_from(item.format, data)[0])


def classes(count, witnesses):
    """The sets of revisions that were never seen to differ."""
    parts = []
    for revision in range(count):
        for part in parts:
            if all((other, revision) not in witnesses for other in part):
                part.append(revision)
                break
        else:
            parts.append([revision])
    return parts


def main(arguments):
    """Returns the exit code."""
    if len(arguments) not in (1, 2):
        print("usage: compare.py SUBJECT [RESULTS]", file=sys.stderr)
        return 2
    subject = pathlib.Path(arguments[0]).absolute()
    try:
        config = tomllib.loads((subject / "subject.toml").read_text())
        patches = numbered_patches(subject, config)
        with tempfile.TemporaryDirectory() as scratch:
            revisions = Revisions(subject, config, patches, pathlib.Path(scratch))
            tried, witnesses, dropped = revisions.observe()
            count = len(patches) + 1
            report = {
                "subject": config["name"], "inputs": tried, "revisions": count,
                "classes": classes(count, witnesses), "dropped": dropped,
            }
            if len(arguments) == 2:
                report |= results.check(pathlib.Path(arguments[1]), count,
                                        [p.name for p in patches], witnesses, revisions.replay)
    except results.Contradiction as contradiction:
        print(f"contradiction: {contradiction}", file=sys.stderr)
        return 1
    except (Unusable, OSError, KeyError, ValueError) as error:
        print(f"cannot compare: {error!r}" if isinstance(error, KeyError)
              else f"cannot compare: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
