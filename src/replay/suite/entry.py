class Value(ctypes.Structure):
    """A value by its name."""

    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_size_t), ("bytes", ctypes.c_char_p)]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The function, with what calls it, as a shared object."""
    place = tmp_path_factory.mktemp("library")
    (place / "source.c").symlink_to(os.path.join(ROOT, SOURCES[0]))
    (place / "psychic.h").write_text(HEADER)
    (place / "call.c").write_text(CALL)
    source = os.path.dirname(os.path.join(ROOT, SOURCES[0]))
    flags = ["-shared", "-fPIC", "-Wl,-Bsymbolic", "-I", place, "-iquote", source]
    compile([*flags, "-o", place / "call.so", place / "call.c", *SOURCES[1:], "-lm"])
    return place / "call.so"


@pytest.fixture
def run(library, tmp_path):
    """Calls the function on an input, in a process and a directory of its own."""

    def run(inputs, stdin=b"", variables=()):
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
            tempfile.TemporaryFile() as record,
        ):
            given.write(stdin)
            given.seek(0)
            values = [Value(name.encode(), len(data), data) for name, data in inputs.items()]
            child = os.fork()
            if child == 0:
                try:
                    faulthandler.disable()  # A signal may be what is expected.
                    os.chdir(tmp_path)
                    for number, file in enumerate([given, stdout, stderr]):
                        os.dup2(file.fileno(), number)
                    signal.alarm(SECONDS)
                    ctypes.CDLL(os.fspath(library)).psychic_run(
                        (Value * (len(values) + 1))(*values),
                        (ctypes.c_char_p * (len(variables) + 1))(*variables),
                        record.fileno(),
                    )
                finally:
                    os._exit(125)
            _, status = os.waitpid(child, 0)
            texts = []
            for file in [stdout, stderr, record]:
                file.seek(0)
                texts.append(file.read())
        outcome = ended(os.waitstatus_to_exitcode(status), *texts[:2])
        outcome.outputs = outputs(texts[2])
        assert os.listdir(tmp_path) == [], "it leaves files"
        return outcome

    return run


def outputs(record):
    """The outputs of a record, without one that was cut off."""
    found = {}
    while b"\0" in record:
        name, record = record.split(b"\0", 1)
        size = int.from_bytes(record[:8], sys.byteorder)
        if len(record) < 8 + size:
            break
        unique, count = name.decode(), 0
        while unique in found:
            count += 1
            unique = f"{name.decode()}_{count}"
        found[unique], record = record[8 : 8 + size], record[8 + size :]
    return found
