"""A Python that has imported Snakemake before: programs start in a fraction of the time.

Most of what the tests cost is Snakemake's start, and most of that are imports. ``warm_python`` is
started like Python, with the same arguments, variables, folder and standard streams, and gives the
same exit code. The program runs in a process that is forked from one which has imported Snakemake
and the libraries. It imports the checkout that it finds, as ever; where that has the files of this
one, its modules have been imported too. Jobs that a Snakemake starts so start alike. Another Python
may import other libraries before: vLLM starts in a fifth of the time.

Where a test is about the process itself (signals, kills, the start), it takes ``sys.executable``.
With STEADFAST_TESTS_COLD=1 all tests do.
"""

import atexit
import ctypes
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import shutil
import signal
import site
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

CLIENT = Path(__file__).with_name("warm_client.py")
VOCABULARIES = Path(__file__).parents[1] / "resources/tiktoken"
PRELOADED = (
    "snakemake.cli",
    "snakemake.script",
    "snakemake.report",
    "snakemake_executor_plugin_slurm",
    "snakemake_executor_plugin_slurm_jobstep",
    "smart_open",
    "aiohttp",
    "faker",
    "jsonschema",
    "matplotlib.figure",
    *(f"matplotlib.backends.backend_{kind}" for kind in ("agg", "pdf", "svg")),
    "nbformat",
    "openai",
    "pandas",
    "pydantic",
    "rapidfuzz",
    "requests",
    "scipy.special",
    "scipy.stats",
    "sentencex",
    "tabulate",
    "tiktoken",
    "tqdm",
    "yaml",
)
"""What takes long to import; none of it starts threads, which a fork would not have."""
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
READ_AT_START = ("PYTHON", "LANG", "LC_", "TZ", "MPL")
"""Variables that count when Python and the libraries start: with others, Python is started."""

PACKAGE = "steadfast"
HERE = Path(__file__).parents[1]
WITH_TEXTS = "command"
"""What has texts in which the checkout's place stands; it is imported where it is."""

LARGE = 2 << 20
MADV_COLLAPSE = 25

COLD = sys.platform != "linux" or os.environ.get("STEADFAST_TESTS_COLD") == "1"
SERVERS: list[int] = []
"""The processes that fork."""


@cache
def warm_python(
    python: str = sys.executable, modules: tuple[str, ...] = PRELOADED, **variables: str
) -> str:
    """The program to start in place of a Python; it works as long as this process.

    ``modules`` are imported before, with further ``variables`` in the environment.
    """
    if COLD:
        return python
    folder = tempfile.mkdtemp(prefix="warm-")
    atexit.register(shutil.rmtree, folder)
    address = f"{folder}/socket"
    program = Path(folder) / "python"
    begin = f"#!{sys.executable} -IS\nADDRESS, PYTHON = {address!r}, {python!r}\n"
    program.write_text(begin + CLIENT.read_text())
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        command = [python, __file__, str(listener.fileno()), str(program), *modules]
        server = subprocess.Popen(
            command,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            | ONE_THREAD
            | variables,
            **dict.fromkeys(("stdin", "stdout"), subprocess.PIPE),
            stderr=subprocess.STDOUT,
            text=True,
            pass_fds=[listener.fileno()],
        )
    atexit.register(end, server)
    SERVERS.append(server.pid)
    return str(program)


def end(server: subprocess.Popen) -> None:
    """Ends the process that forks, and says what it said where it failed."""
    said = server.communicate()[0]
    if server.returncode:
        print(said, end="", file=sys.stderr)


def warm_seconds() -> float:
    """The CPU time of the programs that were started so and have ended."""
    found = 0.0
    for process in SERVERS:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        found += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


def serve(listener: socket.socket, modules: tuple[str, ...]) -> tuple:
    """Forks for each program that comes; returns in the forked process, with the program."""
    gc.disable()
    for name in modules:
        importlib.import_module(name)
    if modules == PRELOADED:
        load_checkout()
    gc.enable()
    gc.collect()
    gc.freeze()
    use_large_pages()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the programs
    programs: dict[int, tuple[int, socket.socket]] = {}  # by what tells that they have ended
    while True:
        waiting = [connection for _, connection in programs.values()]
        ready = select.select([listener, sys.stdin, *programs, *waiting], [], [])[0]
        if sys.stdin in ready:
            os._exit(0)
        for ended in programs.keys() & set(ready):
            end_program(ended, *programs.pop(ended))
        for process, connection in programs.values():
            if connection in ready:  # nobody waits any more
                os.kill(process, signal.SIGKILL)
        if listener not in ready:
            continue
        connection = listener.accept()[0]
        length, numbers, _, _ = socket.recv_fds(connection, 8, 250)
        with connection.makefile("rb") as incoming:
            sent = incoming.read(int.from_bytes(length, "big"))
        if not sent:  # killed before it sent a program
            connection.close()
            continue
        program = marshal.loads(sent)
        if at_start(program[2]) != at_start(dict(os.environ)):
            connection.sendall(b"not with these variables")
            connection.close()
        elif process := os.fork():
            programs[os.pidfd_open(process)] = process, connection
        else:
            return program, numbers
        for number in numbers:
            os.close(number)


def use_large_pages() -> None:
    """Puts memory into large pages where the kernel can: a fork then takes a third of the time."""
    advise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_, file = f"{line} -".split()[:6]
        if rights == "rw-p" and file in ("-", "[heap]"):
            start, end = (int(one, 16) for one in place.split("-"))
            for page in range(-(-start // LARGE) * LARGE, end - LARGE + 1, LARGE):
                advise(ctypes.c_void_p(page), ctypes.c_size_t(LARGE), MADV_COLLAPSE)


def end_program(ended: int, process: int, connection: socket.socket) -> None:
    """Says how a program ended, if somebody waits for that still."""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(ended)
    with connection, suppress(OSError):
        connection.sendall(str(code).encode())


def load_checkout() -> None:
    """Loads what Snakemake and its jobs need of this checkout."""
    importlib.import_module("snakemake.cli").get_argument_parser()  # looks for plugins
    with tempfile.TemporaryDirectory() as copy:  # tiktoken removes what it finds damaged
        os.environ["TIKTOKEN_CACHE_DIR"] = shutil.copytree(VOCABULARIES, f"{copy}/vocabularies")
        importlib.import_module("tiktoken").get_encoding("o200k_base")
    sys.meta_path.insert(0, Imported())


class Imported(MetaPathFinder, Loader):
    """Finds the modules of a checkout that has the files of this one: they have been imported."""

    def __init__(self) -> None:
        sys.path.insert(0, str(HERE / "scripts"))
        package = importlib.import_module(PACKAGE)
        for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
            importlib.import_module(found.name)
        del sys.path[0]
        delattr(package, WITH_TEXTS)
        own = [name for name in sys.modules if name.split(".")[0] == PACKAGE]
        found = {name: sys.modules.pop(name) for name in own}
        self._modules = {
            name: one for name, one in found.items() if WITH_TEXTS not in name.split(".")
        }
        self._files = files(HERE)

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """The package, where it is the same; its modules then need no finding."""
        spec = PathFinder.find_spec(name) if name == PACKAGE else None
        if spec is None or spec.origin is None:
            return None
        sys.meta_path.remove(self)
        checkout = Path(spec.origin).parents[2]
        if not (checkout / "resources").is_dir() or files(checkout) != self._files:
            return None
        if checkout != HERE:
            self._move(checkout)
        sys.modules |= self._modules
        return ModuleSpec(name, self)

    def _move(self, checkout: Path) -> None:
        """Gives modules the places that they have in a checkout."""

        def moved(place: str) -> str:
            return str(checkout / Path(place).relative_to(HERE))

        for module in self._modules.values():
            spec: Any = module.__spec__
            for name, value in vars(module).items():
                if isinstance(value, Path) and value.is_relative_to(HERE):
                    setattr(module, name, Path(moved(str(value))))
            module.__file__ = spec.origin = spec.loader.path = moved(spec.origin)
            if spec.submodule_search_locations:
                spec.submodule_search_locations[:] = map(moved, spec.submodule_search_locations)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The package itself, which keeps the specification that it was imported by."""
        module = self._modules[PACKAGE]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to execute."""
        module.__spec__ = self._spec


def files(checkout: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of the files that a checkout's modules are made from."""
    found = {}
    folders = [f"{checkout}/scripts", f"{checkout}/resources"]
    for folder in folders:
        for entry in os.scandir(folder):
            if not entry.is_dir():
                status = entry.stat()
                found[entry.path[len(str(checkout)) :]] = status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__":
                folders.append(entry.path)
    return found


def at_start(variables: dict[str, str]) -> dict[str, str]:
    """Those that count when Python starts."""
    own = {name: value for name, value in variables.items() if name.startswith(READ_AT_START)}
    own.pop("PYTHONPATH", None)
    return own


def become(program: tuple, received: list[int], warm: str) -> NoReturn:
    """Makes this process what Python would be that is started with a program; runs it."""
    arguments, folder, variables, numbers, mask, group = program
    high = [os.dup2(number, 900 + place) for place, number in enumerate(received)]
    os.closerange(0, 900)
    for number, wanted in zip(high, numbers, strict=True):
        os.dup2(number, wanted)
        os.close(number)
    try:
        os.setpgid(0, group)
    except PermissionError:  # that of another session
        os.setsid()
    os.umask(mask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(100_000, 20, 20)  # what is there is frozen, and programs are short
    sys.orig_argv = [sys.executable, *arguments]
    sys.path[:0] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
    sys.modules.pop("sitecustomize", None)
    code: Any = 0
    try:
        site.execsitecustomize()
        run(arguments, warm)
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 128 + signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    # Python would take all that was imported apart, which takes as long as to import it.
    os._exit(code if isinstance(code, int) else int(code is not None))


def run(arguments: list[str], warm: str) -> None:
    """Runs a program as Python does."""
    safe = arguments[0] == "-P"
    how, *rest = arguments[safe:]
    main = sys.modules["__main__"] = ModuleType("__main__")
    if how == "-m":
        if rest[0] == "snakemake":
            sys.executable = warm
            sys.path += ADDED
        sys.argv = rest
        place = str(Path.cwd())
    elif how == "-c":
        sys.argv = ["-c", *rest[1:]]
        place = ""
        code = compile(rest[0], "<string>", "exec")
    else:
        sys.argv = [how, *rest]
        place = str(Path(how).resolve().parent)
        code = compile(Path(how).read_bytes(), how, "exec")
        main.__file__ = how
    if not safe:
        sys.path.insert(0, place)
    if how == "-m":
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        exec(code, main.__dict__)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    PLAIN = list(sys.path)
    served = serve(socket.socket(fileno=int(sys.argv[1])), tuple(sys.argv[3:]))
    ADDED = [place for place in sys.path if place not in PLAIN]  # by Snakemake
    sys.path[:] = PLAIN
    become(*served, warm=sys.argv[2])
