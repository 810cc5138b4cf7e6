"""Writes this machine's apt sources into a directory, as entries for source packages.

Only entries of the distribution's own suites (bookworm, bookworm-updates, ...) are taken:
other archives often have no source packages, and a single one that does not answer would
make the whole update fail. Both the one-line format (*.list) and deb822 (*.sources) are
read; sources.list(5) describes them.
"""

import pathlib
import re
import sys

ETC = pathlib.Path("/etc/apt")


def codename():
    """The name that the distribution's suites start with."""
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    sys.exit("no VERSION_CODENAME in /etc/os-release: is this Debian?")


def ours(suites, name):
    """Whether an entry's suites all belong to the distribution."""
    return bool(suites) and all(re.match(re.escape(name) + r"($|[-/])", s) for s in suites)


def one_line(text, name):
    """The `deb` lines of the one-line format as `deb-src` lines."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)(.*)", line)
        if match and ours([match[3]], name):
            yield f"deb-src {match[1] or ''}{match[2]} {match[3]}{match[4]}"


def deb822(text, name):
    """The stanzas of the deb822 format with `Types: deb-src`."""
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if not line.startswith("#")]
        suites = re.search(r"(?im)^Suites:((?:.*)(?:\n[ \t].*)*)", "\n".join(lines))
        enabled = not re.search(r"(?im)^Enabled:\s*(no|false|0)\s*$", "\n".join(lines))
        if enabled and suites and ours(suites[1].split(), name):
            yield re.sub(r"(?im)^Types:.*$", "Types: deb-src", "\n".join(lines))


def main():
    """Writes a file for each of apt's that has entries of the distribution."""
    target, name = pathlib.Path(sys.argv[1]), codename()
    for old in target.iterdir():
        old.unlink()
    found = False
    parts = sorted((ETC / "sources.list.d").glob("*"))
    for path in [ETC / "sources.list", *parts]:
        if not path.is_file():
            continue
        text = path.read_text()
        if path.suffix == ".sources":
            entries, separator = list(deb822(text, name)), "\n\n"
        elif path.suffix == ".list":
            entries, separator = list(dict.fromkeys(one_line(text, name))), "\n"
        else:
            continue
        if entries:
            found = True
            (target / path.name).write_text(separator.join(entries) + "\n")
    if not found:
        sys.exit(f"no apt source of the suite {name} in {ETC}")


if __name__ == "__main__":
    main()
