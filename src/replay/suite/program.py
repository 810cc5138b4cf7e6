@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program that $PROGRAM names, or else the one that the sources make."""
    if "PROGRAM" in os.environ:
        return os.path.abspath(os.environ["PROGRAM"])
    if not SOURCES:
        pytest.skip("set PROGRAM to the program to test: this file does not know how to build it")
    program = tmp_path_factory.mktemp("program") / "program"
    compile(["-o", program, *SOURCES, "-lm"])
    return program


@pytest.fixture
def run(program, tmp_path):
    """Runs the program on an input, in a directory of its own."""

    def run(arguments, stdin=b"", variables={}, files={}):
        start = tmp_path / "start"
        start.mkdir(mode=0o755)
        for name, (kind, *content) in {**FILES, **files}.items():
            path = os.path.join(os.fsencode(start), os.fsencode(name))
            if kind == "directory":
                os.mkdir(path)
            elif kind == "link":
                os.symlink(content[0], path)
            else:
                with open(path, "wb") as file:
                    file.write(content[1])
            if kind != "link":
                os.chmod(path, content[0])
        before = snapshot(start)
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            given.write(stdin)
            given.seek(0)
            status = subprocess.run(
                arguments,
                executable=program,
                stdin=given,
                stdout=stdout,
                stderr=stderr,
                env=variables,
                cwd=start,
                umask=0o022,
                timeout=SECONDS,
            ).returncode
            texts = []
            for file in [stdout, stderr]:
                file.seek(0)
                texts.append(file.read())
        outcome = ended(status, *texts)
        if status < 0:
            outcome.stdout = None  # Part of it may have been in buffers still.
        after = snapshot(start)
        outcome.files = {name: None for name in before if name not in after}
        for name, state in after.items():
            if before.get(name) != state:
                outcome.files[name] = state
        return outcome

    return run


def snapshot(start):
    """The states of all that is below a directory, and of itself, by path."""
    top = os.fsencode(start)
    paths = [top]
    for place, directories, names in os.walk(top):
        paths += [os.path.join(place, name) for name in directories + names]
    states, first = {}, {}
    for name, path in sorted((readable(os.path.relpath(path, top)), path) for path in paths):
        found = os.lstat(path)
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            states[name] = ("directory", mode)
        elif found.st_ino in first:
            states[name] = ("hard link", first[found.st_ino])
        elif stat.S_ISLNK(found.st_mode):
            states[name] = ("link", os.readlink(path))
        elif stat.S_ISREG(found.st_mode):
            os.chmod(path, 0o600)
            with open(path, "rb") as file:
                states[name] = ("file", mode, file.read())
            os.chmod(path, mode)
        first.setdefault(found.st_ino, name)
    return states


def readable(path):
    """A path as text, in which bytes that are not UTF-8 are escaped and backslashes are doubled."""
    text = path.replace(b"\\", b"\\\\").decode(errors="surrogateescape")
    return "".join(
        f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text
    )
