#!/usr/bin/env python3
"""Compares the revisions of a subject natively, with nothing of psychic in it.

    tests/native/compare.py SUBJECT [RESULTS]

Builds the original and every patched source on its own with patch(1) and clang-19, runs
all of them on many inputs, and prints as JSON which revisions were never seen to differ.
Given the directory that `psychic diff` wrote, checks that nothing in it is contradicted.
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
import results

HERE = pathlib.Path(__file__).parent
LIMIT_MS = 50
MAX_HANGS = 20
FLAGS = [
    "-O1", "-w", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Dmain=psychic_main", "-Dexit=psychic_exit",
    # What C leaves undefined is to mean here what the instructions of the machine do.
    "-fwrapv", "-fno-strict-aliasing", "-fno-finite-loops", "-fno-delete-null-pointer-checks",
]


class Unusable(Exception):
    """There is nothing to compare; the message says why."""


def run(command, **options):
    """Runs a command that must succeed."""
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
    """Applies a patch with as many leading directories as its names have."""
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
    run(["clang-19", *FLAGS, *flags, *(directory / n for n in config["sources"]), "-o", output])


def shim(config, domain, parameters):
    """The C that calls the entry on a record, or prints the record as standard input."""
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
        text = "0"
    return f"""#include <stdio.h>
const char psychic_entry[] = "{entry}";
const int psychic_stderr = {stderr};
long psychic_call(void *entry, char *record) {{ return {call}; }}
int psychic_stdin(const char *record, char *text, int size) {{ return {text}; }}
"""


def observe(subject, config, patches, scratch):
    """Runs everything; returns the number of inputs and what differed, with witnesses."""
    domains = tomllib.loads((HERE / "domains.toml").read_text())
    if config["name"] not in domains:
        raise Unusable(f"tests/native/domains.toml has no inputs for {config['name']}")
    domain = domains[config["name"]]
    parameters = [inputs.parameter(item) for item in domain.get("stdin") or domain["params"]]
    source = sources(subject, config, scratch)
    objects = []
    for revision, patch in enumerate([None, *patches]):
        objects.append(scratch / f"revision{revision}.so")
        build(source, config, patch, objects[-1], scratch)
    (scratch / "shim.c").write_text(shim(config, domain, parameters))
    run(["clang-19", "-O2", "-Wall", "-rdynamic", HERE / "driver.c", scratch / "shim.c",
         "-o", scratch / "driver"])
    data = b"".join(inputs.records(parameters))
    (scratch / "inputs").write_bytes(data)
    size = sum(item.size for item in parameters)
    report = subprocess.run(
        [scratch / "driver", scratch / "inputs", str(size), str(LIMIT_MS), str(MAX_HANGS),
         *objects], capture_output=True, text=True, errors="replace")
    if report.returncode:
        raise Unusable(f"the driver stopped with {report.returncode}: {report.stderr}")
    texts, differ, dropped = {}, {}, {}
    for line in report.stdout.splitlines():
        kind, *rest = line.split(" ", 3)
        if kind == "pair":
            differ[int(rest[0]), int(rest[1])] = int(rest[2])
        elif kind == "outcome":
            texts[int(rest[0]), int(rest[1])] = rest[2].strip()
        elif kind == "dropped":
            dropped[int(rest[0])] = int(rest[1])
    witnesses = {}
    for (a, b), number in differ.items():
        record, values, offset = data[number * size:(number + 1) * size], [], 0
        for item in parameters:
            values.append(readable(item, record[offset:offset + item.size]))
            offset += item.size
        witnesses[a, b] = (f"on {' '.join(values)} {a} gives `{texts[a, number]}`"
                           f" and {b} gives `{texts[b, number]}`")
    return len(data) // size, witnesses, dropped


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
            tried, witnesses, dropped = observe(
                subject, config, patches, pathlib.Path(scratch))
        count = len(patches) + 1
        report = {
            "subject": config["name"], "inputs": tried, "revisions": count,
            "classes": classes(count, witnesses), "dropped": dropped,
        }
        if len(arguments) == 2:
            report |= results.check(
                pathlib.Path(arguments[1]), count, [p.name for p in patches], witnesses)
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
