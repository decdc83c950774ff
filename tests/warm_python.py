"""A Python with Snakemake imported already: programs start in a fraction of the time.

Most of the tests' time is Snakemake's start, and most of that are imports. ``warm_python`` is
started like Python, with the same arguments, variables, folder and standard streams, and gives the
same exit code. The program runs in a process forked from a server that has imported Snakemake and
the libraries. It imports the checkout that it finds, as always; if that has the same files as this
one, its modules are imported already too. Jobs of such a Snakemake start in the same way. A server
for another Python may import other libraries: vLLM starts in a fifth of the time.

Tests of the process itself (signals, kills, the start) use ``sys.executable``; all tests do with
STEADFAST_TESTS_COLD=1.
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
"""Modules that take long to import; none starts threads, which a fork would not have."""
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
READ_AT_START = ("PYTHON", "LANG", "LC_", "TZ", "MPL")
"""Prefixes of variables read when Python and the libraries start: with other values of these, a
cold Python is started."""

PACKAGE = "steadfast"
CHECKOUT = Path(__file__).parents[1]
WITH_PATHS_IN_TEXTS = "command"
"""A package whose texts contain the checkout's path; it is not preloaded."""

LARGE = 2 << 20
MADV_COLLAPSE = 25

COLD = sys.platform != "linux" or os.environ.get("STEADFAST_TESTS_COLD") == "1"
SERVERS: list[int] = []
"""Process ids of the servers."""


@cache
def warm_python(
    python: str = sys.executable, modules: tuple[str, ...] = PRELOADED, **variables: str
) -> str:
    """The program to start in place of a Python; it works as long as this process lives.

    The server imports ``modules``, with further ``variables`` in its environment.
    """
    if COLD:
        return python
    folder = tempfile.mkdtemp(prefix="warm-")
    atexit.register(shutil.rmtree, folder)
    address = f"{folder}/socket"
    program = Path(folder) / "python"
    head = f"#!{sys.executable} -IS\nADDRESS = {address!r}\nPYTHON = {python!r}\n"
    program.write_text(head + CLIENT.read_text())
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
    atexit.register(stop, server)
    SERVERS.append(server.pid)
    return str(program)


def stop(server: subprocess.Popen) -> None:
    """Stops a server, and prints its output where it failed."""
    output = server.communicate()[0]
    if server.returncode:
        print(output, end="", file=sys.stderr)


def warm_seconds() -> float:
    """The CPU time of the warm programs that have ended."""
    seconds = 0.0
    for process in SERVERS:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def serve(listener: socket.socket, modules: tuple[str, ...]) -> tuple:
    """Forks for each program that arrives; returns in the forked process, with the program."""
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
    programs: dict[int, tuple[int, socket.socket]] = {}  # by pidfd
    while True:
        waiting = [connection for _, connection in programs.values()]
        ready = select.select([listener, sys.stdin, *programs, *waiting], [], [])[0]
        if sys.stdin in ready:
            os._exit(0)
        for ended in programs.keys() & set(ready):
            report_end(ended, *programs.pop(ended))
        for process, connection in programs.values():
            if connection in ready:  # its client is gone
                os.kill(process, signal.SIGKILL)
        if listener not in ready:
            continue
        connection = listener.accept()[0]
        length, descriptors, _, _ = socket.recv_fds(connection, 8, 250)
        with connection.makefile("rb") as stream:
            message = stream.read(int.from_bytes(length, "big"))
        if not message:  # the client was killed before it sent a program
            connection.close()
            continue
        program = marshal.loads(message)
        if start_variables(program[2]) != start_variables(dict(os.environ)):
            connection.sendall(b"not with these variables")
            connection.close()
        elif process := os.fork():
            programs[os.pidfd_open(process)] = process, connection
        else:
            return program, descriptors
        for descriptor in descriptors:
            os.close(descriptor)


def use_large_pages() -> None:
    """Moves memory to large pages where the kernel can: a fork then takes a third of the time."""
    advise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, *_, file = f"{line} -".split()[:6]
        if rights == "rw-p" and file in ("-", "[heap]"):
            start, end = [int(address, 16) for address in addresses.split("-")]
            for page in range(-(-start // LARGE) * LARGE, end - LARGE + 1, LARGE):
                advise(ctypes.c_void_p(page), ctypes.c_size_t(LARGE), MADV_COLLAPSE)


def report_end(pidfd: int, process: int, connection: socket.socket) -> None:
    """Sends a program's exit code to its client, if that still waits."""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(pidfd)
    with connection, suppress(OSError):
        connection.sendall(str(code).encode())


def load_checkout() -> None:
    """Loads the plugins, the vocabulary and the package that Snakemake and its jobs use."""
    importlib.import_module("snakemake.cli").get_argument_parser()  # loads plugins
    with tempfile.TemporaryDirectory() as copy:  # tiktoken removes damaged files
        os.environ["TIKTOKEN_CACHE_DIR"] = shutil.copytree(VOCABULARIES, f"{copy}/vocabularies")
        importlib.import_module("tiktoken").get_encoding("o200k_base")
    sys.meta_path.insert(0, Preloaded())


class Preloaded(MetaPathFinder, Loader):
    """Supplies the imported modules for a checkout with the same files as this one."""

    def __init__(self) -> None:
        sys.path.insert(0, str(CHECKOUT / "scripts"))
        package = importlib.import_module(PACKAGE)
        for info in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
            importlib.import_module(info.name)
        del sys.path[0]
        delattr(package, WITH_PATHS_IN_TEXTS)
        self._modules = {}
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            module = sys.modules.pop(name)
            if WITH_PATHS_IN_TEXTS not in name.split("."):
                self._modules[name] = module
        self._files = files(CHECKOUT)

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """The package, if its files are the same; its modules are then in ``sys.modules``."""
        spec = PathFinder.find_spec(name) if name == PACKAGE else None
        if spec is None or spec.origin is None:
            return None
        sys.meta_path.remove(self)
        checkout = Path(spec.origin).parents[2]
        if not (checkout / "resources").is_dir() or files(checkout) != self._files:
            return None
        if checkout != CHECKOUT:
            self._move(checkout)
        sys.modules |= self._modules
        return ModuleSpec(name, self)

    def _move(self, checkout: Path) -> None:
        """Changes the modules' paths to those of a checkout."""

        def moved(path: str) -> str:
            return str(checkout / Path(path).relative_to(CHECKOUT))

        for module in self._modules.values():
            spec: Any = module.__spec__
            for name, value in vars(module).items():
                if isinstance(value, Path) and value.is_relative_to(CHECKOUT):
                    setattr(module, name, Path(moved(str(value))))
            module.__file__ = spec.origin = spec.loader.path = moved(spec.origin)
            if spec.submodule_search_locations:
                spec.submodule_search_locations[:] = map(moved, spec.submodule_search_locations)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The package itself, which keeps its own specification."""
        module = self._modules[PACKAGE]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to execute."""
        module.__spec__ = self._spec


def files(checkout: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of the files of a checkout's package and resources."""
    stamps = {}
    folders = [f"{checkout}/scripts", f"{checkout}/resources"]
    for folder in folders:
        for entry in os.scandir(folder):
            if not entry.is_dir():
                status = entry.stat()
                stamps[entry.path[len(str(checkout)) :]] = status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__":
                folders.append(entry.path)
    return stamps


def start_variables(variables: dict[str, str]) -> dict[str, str]:
    """The variables that are read when Python starts."""
    read = {name: value for name, value in variables.items() if name.startswith(READ_AT_START)}
    read.pop("PYTHONPATH", None)
    return read


def become(program: tuple, received: list[int], warm: str) -> NoReturn:
    """Gives this process the state of a Python started with a program, and runs the program."""
    arguments, folder, variables, descriptors, mask, group = program
    copies = [os.dup2(descriptor, 900 + n) for n, descriptor in enumerate(received)]
    os.closerange(0, 900)
    for copy, descriptor in zip(copies, descriptors, strict=True):
        os.dup2(copy, descriptor)
        os.close(copy)
    try:
        os.setpgid(0, group)
    except PermissionError:  # a group of another session
        os.setsid()
    os.umask(mask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(100_000, 20, 20)  # programs are short, and older objects frozen
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
    # Python's own exit would dispose of all modules, which takes as long as their import.
    os._exit(code if isinstance(code, int) else int(code is not None))


def run(arguments: list[str], warm: str) -> None:
    """Runs a program as Python does."""
    is_safe = arguments[0] == "-P"
    kind, *words = arguments[is_safe:]
    main = sys.modules["__main__"] = ModuleType("__main__")
    if kind == "-m":
        if words[0] == "snakemake":
            sys.executable = warm
            sys.path += ADDED
        sys.argv = words
        path = str(Path.cwd())
    elif kind == "-c":
        sys.argv = ["-c", *words[1:]]
        path = ""
        code = compile(words[0], "<string>", "exec")
    else:
        sys.argv = [kind, *words]
        path = str(Path(kind).resolve().parent)
        code = compile(Path(kind).read_bytes(), kind, "exec")
        main.__file__ = kind
    if not is_safe:
        sys.path.insert(0, path)
    if kind == "-m":
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        exec(code, main.__dict__)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    PLAIN = list(sys.path)
    request = serve(socket.socket(fileno=int(sys.argv[1])), tuple(sys.argv[3:]))
    ADDED = [path for path in sys.path if path not in PLAIN]  # by Snakemake
    sys.path[:] = PLAIN
    become(*request, warm=sys.argv[2])
