import dataclasses
import os
import shlex
import stat
import subprocess
import tempfile

import pytest


@dataclasses.dataclass
class Outcome:
    """What can be seen of a run. What is None does not count."""

    exit: int | None = None
    signal: int | None = None
    stdout: bytes | None = None
    stderr: bytes | None = None
    outputs: dict[str, bytes] = dataclasses.field(default_factory=dict)
    files: dict[str, tuple] = dataclasses.field(default_factory=dict)


def compile(arguments):
    """Compiles with $CC or cc in the directory of the sources."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-w", *FLAGS, *arguments]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE)
    if done.returncode != 0:
        pytest.fail(os.fsdecode(done.stderr), pytrace=False)


def ended(status, stdout, stderr):
    """The outcome of a process that ended so. What is printed when a signal ends it names lines."""
    return Outcome(
        exit=status if status >= 0 else None,
        signal=-status if status < 0 else None,
        stdout=stdout if STDOUT else None,
        stderr=stderr if STDERR and status >= 0 else None,
    )
