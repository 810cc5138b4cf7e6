"""Times `psychic explore` on the programs of benches/programs; writes results/bench/engine.csv.

Every program runs several times with one and with two workers, without tests and with a test for
each path. Two times are kept, each from the fastest run: the exploration without tests, and the
whole command with tests, compiler and files included. Called by `make bench`.
"""

import csv
import datetime
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
PSYCHIC = TOP / "target/release/psychic"
PROGRAMS = ["crc", "sort", "match"]
REPEATS = 7
# The runs write thousands of small files. They go to a file system in memory if there is one, so
# that the disk is not measured.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def machine():
    """The processor's name and the number of processors."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()} x {os.cpu_count()}"


def run(program, jobs, out, tests):
    """One run: the rows of `stats.csv` by phase, seconds of the whole command, peak memory in MiB."""
    # Otherwise the program would not be compiled again.
    shutil.rmtree(out, ignore_errors=True)
    command = [PSYCHIC, "explore", TOP / f"benches/programs/{program}.c", "--out", out,
               "--jobs", str(jobs), "--tests", tests]
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"{program} failed with status {status}")
    with open(out / "stats.csv", newline="") as file:
        rows = {row["phase"]: row for row in csv.DictReader(file)}
    return rows, seconds, usage.ru_maxrss / 1024


def native(program, scratch):
    """Milliseconds of a native run, compiled without optimisation; None if it does not link alone."""
    binary = scratch / program
    source = TOP / f"benches/programs/{program}.c"
    if subprocess.run(["clang-19", "-O0", source, "-o", binary], capture_output=True).returncode:
        return None
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run([binary], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - begin)
    return 1000 * min(times)


def main():
    header = ["date", "machine", "program", "workers", "paths", "tests", "instructions",
              "queries", "explore_seconds", "total_seconds", "instructions_per_second", "peak_mb",
              "native_ms"]
    target = TOP / "results/bench/engine.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        scratch = pathlib.Path(name)
        for program in PROGRAMS:
            alone = native(program, scratch)
            for jobs in [1, 2]:
                without, runs = (
                    [run(program, jobs, scratch / "out", tests) for _ in range(REPEATS)]
                    for tests in ["none", "all"]
                )
                explore = min(float(stats["explore"]["seconds"]) for stats, _, _ in without)
                stats, total, peak = min(runs, key=lambda run: run[1])
                instructions = int(stats["instructions"]["count"])
                rows.append([
                    datetime.date.today().isoformat(), machine(), program, jobs,
                    stats["explore"]["count"], stats["tests"]["count"], instructions,
                    stats["solver.slicing"]["count"], f"{explore:.3f}", f"{total:.3f}",
                    round(instructions / explore),
                    f"{peak:.0f}", "" if alone is None else f"{alone:.1f}",
                ])
                print(*rows[-1][2:], sep="\t")
    with open(target, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
