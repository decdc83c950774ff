"""Whether the tests notice faults: python bench/mutants.py --seed 1 --count 100 [--marked TIER].

Draws places in the whole package by a seed, and changes one operator or constant at each. The tests
of a tier are run once with coverage; on each changed copy then those that execute the changed
statement, and those that start programs, up to the first failure: no others can notice. The former
are run in a forked process first (forked_tests.py), which takes seconds; what failed there has to
fail in a process of its own. Prints each mutant with what noticed it; survivors are to be read one
by one. Work is done in clones of the checkout, one a process; what is not committed is in none.
"""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from coverage import CoverageData
from forked_tests import ADDRESS, Change

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PACKAGE = ROOT / "scripts/steadfast"
QUICK = "not heavy and not wide"
COMMAND = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-m"]
LIMIT = 1200  # seconds, after which a mutant that never ends counts as noticed
STARTED = "MUTANTS_STARTED"  # variable with the file of the tests that start programs
SECONDS = "MUTANTS_SECONDS"  # variable with the file of what each test takes
OPERATORS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Pow: "*",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(NamedTuple):
    """A change of a module's text at ``start`` up to ``end``."""

    path: Path
    start: int
    end: int
    text: str

    @property
    def line(self) -> int:
        """Its line, from 1."""
        return self.path.read_text("utf-8").count("\n", 0, self.start) + 1

    def __str__(self) -> str:
        before = self.path.read_text("utf-8")[self.start : self.end].strip()
        return f"{self.path.relative_to(PACKAGE)}:{self.line}: {before} -> {self.text.strip()}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yields the possible changes of a module; annotations, docstrings and literals of text have
    none."""
    source = path.read_text("utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    def between(left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        start = offset(left.end_lineno, left.end_col_offset)
        end = offset(right.lineno, right.col_offset)
        words = re.search(r"[^\s()#]+(?: (?:in|not))?(?=[\s(])", source[start:end])
        if type(operator) in OPERATORS and words and "#" not in source[start:end]:
            yield Mutant(
                path, start + words.start(), start + words.end(), OPERATORS[type(operator)]
            )

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            yield from between(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            start = offset(node.lineno, node.col_offset)
            end = offset(node.end_lineno, node.end_col_offset)
            value = not node.value if isinstance(node.value, bool) else node.value + 1
            yield Mutant(path, start, end, repr(value))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = offset(node.lineno, node.col_offset)
            yield Mutant(path, start, start + len("not "), "")


def draw(seed: int, count: int) -> list[Mutant]:
    """Returns so many mutants, each place of the package as likely as another."""
    places = [mutant for path in sorted(PACKAGE.rglob("*.py")) for mutant in mutants(path)]
    return random.Random(seed).sample(places, count)


def pytest_configure() -> None:
    """As a plugin of the run with coverage: notes the tests in which a program is started."""

    def note(event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
            with open(os.environ[STARTED], "a", encoding="utf-8") as file:
                file.write(os.environ.get("PYTEST_CURRENT_TEST", "") + "\n")

    sys.addaudithook(note)


def pytest_runtest_logreport(report: object) -> None:
    """Notes what a test takes, in the process that runs it."""
    if report.when == "call" and "PYTEST_CURRENT_TEST" in os.environ:
        with open(os.environ[SECONDS], "a", encoding="utf-8") as file:
            file.write(f"{report.duration}\t{report.nodeid}\n")


class Coverage:
    """Which tests of a tier execute which lines, from one run of them in a clone."""

    def __init__(self, copy: Path, marked: str, processes: int):
        started = copy / ".started"
        options = [
            "--cov=scripts/steadfast",
            "--cov-context=test",
            "--cov-report=",
            "-p",
            "mutants",
        ]
        seconds = copy / ".seconds"
        variables = {STARTED: str(started), SECONDS: str(seconds), "PYTHONPATH": str(BENCH)}
        result = pytest(copy, marked, [*options, f"-n{processes}"], variables)
        # With coverage a test may take more CPU time than it is allowed.
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", result.stdout, re.M)
        if failed:
            result = pytest(copy, marked, ["-n0", *failed])
        if result.returncode:
            sys.exit(f"The tests fail without any fault:\n{result.stdout[-2000:]}")
        self._data = CoverageData(str(copy / ".coverage"))
        self._data.read()
        self._copy = copy
        names = started.read_text("utf-8").splitlines()
        self._starting = {name.partition("::")[0] for name in names} - {""}
        self._seconds = {}
        self._tests = defaultdict(list)
        for line in seconds.read_text("utf-8").splitlines():
            duration, _, test = line.partition("\t")
            self._seconds[test] = float(duration)
            self._tests[test.partition("::")[0]].append(test)

    def executing(self, mutant: Mutant) -> list[str]:
        """Returns the tests that execute a mutant's statement, the quickest first; of what an
        import executes those that execute something of the module."""
        lines = statement(mutant)
        path = self._copy / mutant.path.relative_to(ROOT)
        tests = set()
        for line, contexts in self._data.contexts_by_lineno(str(path)).items():
            if line in lines or not lines:
                for context in filter(None, contexts):
                    test, _, phase = context.rpartition("|")
                    # What a fixture executes may serve the other tests of the file, too.
                    tests.update([test] if phase == "run" else self._tests[test.partition("::")[0]])
        return sorted(tests & self._seconds.keys(), key=lambda test: (self._seconds[test], test))

    def others(self, mutant: Mutant) -> list[str]:
        """Returns the files of tests that may execute a mutant in a program of theirs; of what an
        import executes all can."""
        return sorted(self._starting) if statement(mutant) else ["tests"]


def statement(mutant: Mutant) -> range:
    """Returns the lines of a mutant's statement, of a block those of its head; none outside of
    functions, where an import executes it."""
    lines = range(0)
    for node in ast.walk(ast.parse(mutant.path.read_text("utf-8"))):  # outer ones come first
        body = getattr(node, "body", None)
        is_inside = isinstance(node, ast.stmt) and node.lineno <= mutant.line <= node.end_lineno
        if is_inside and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = range(mutant.line, mutant.line + 1)
            if mutant.line < body[0].lineno:
                return range(0)  # a default
        elif is_inside and lines:
            lines = range(node.lineno, body[0].lineno if body else node.end_lineno + 1)
    return lines


def pytest(
    copy: Path, marked: str, words: Iterable[str], variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs tests of a tier in a clone, with an empty cache: a mutant may write wrong entries."""
    with tempfile.TemporaryDirectory() as cache:
        return subprocess.run(
            [*COMMAND, marked, *words],
            cwd=copy,
            env={**os.environ, "CI": "1", "XDG_CACHE_HOME": cache, **(variables or {})},
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )


class Copy:
    """A clone in which mutants are tried, with a session that forks."""

    def __init__(self, folder: Path, marked: str):
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        (folder / ".venv").symlink_to(ROOT / ".venv")
        self.folder = folder
        self._marked = marked
        self._session: Connection

    def start(self) -> None:
        """Starts the session, which has collected the tests when it connects."""
        with Listener() as listener, tempfile.TemporaryFile() as output:
            subprocess.Popen(
                [*COMMAND, self._marked, "-s", "-n0", "-p", "forked_tests"],
                cwd=self.folder,
                env={**os.environ, "CI": "1", "PYTHONPATH": str(BENCH), ADDRESS: listener.address},
                stdout=output,
                stderr=output,
            )
            self._session = listener.accept()

    def end(self) -> None:
        """Ends the session."""
        self._session.send(None)
        self._session.close()

    def noticed(self, mutant: Mutant, coverage: Coverage) -> str:
        """Returns the first test that fails on the mutant; empty where none does."""
        target = self.folder / mutant.path.relative_to(ROOT)
        source = mutant.path.read_text("utf-8")
        changed = source[: mutant.start] + mutant.text + source[mutant.end :]
        target.write_text(changed, "utf-8")
        try:
            executing = coverage.executing(mutant)
            failed = ""
            if statement(mutant):
                self._session.send(Change(target, source, changed, executing))
                failed = self._session.recv()
            if failed or not statement(mutant):
                tests = [[failed] * ("::" in failed), executing, coverage.others(mutant)]
            else:
                tests = [coverage.others(mutant)]
            return next(filter(None, map(self._failure, filter(None, tests))), "")
        except subprocess.TimeoutExpired:
            return "the limit of time"
        finally:
            target.write_text(source, "utf-8")

    def _failure(self, tests: list[str]) -> str:
        """Returns the first of some tests that fails in a process of its own."""
        result = pytest(self.folder, self._marked, ["-x", "-n0", *tests])
        if result.returncode == 4:  # a parameter's name has changed with the mutant
            files = sorted({test.partition("::")[0] for test in tests})
            result = pytest(self.folder, self._marked, ["-x", "-n0", *files])
        if result.returncode in (0, 5):  # 5: none of the files has tests of the tier
            return ""
        failure = re.search(r"^(?:FAILED|ERROR) (\S+)", result.stdout, re.M)
        return failure[1] if failure else f"exit code {result.returncode}"


def main() -> None:
    """Prints what noticed each mutant, and how many survived."""
    parser = argparse.ArgumentParser(description="Whether the tests notice faults.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--marked", default=QUICK, help="the tier, as pytest's -m takes it")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the mutants alone")
    arguments = parser.parse_args()
    chosen = draw(arguments.seed, arguments.count)
    if arguments.list:
        print(*chosen, sep="\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        beside = ROOT.parent / "shared"  # data that tests take where they are beside the project
        if beside.is_dir():
            Path(folder, beside.name).symlink_to(beside)
        copies = [
            Copy(Path(folder, str(number)), arguments.marked)
            for number in range(arguments.processes)
        ]
        coverage = Coverage(copies[0].folder, arguments.marked, arguments.processes)
        free: Queue[Copy] = Queue()
        for copy in copies:
            copy.start()
            free.put(copy)

        def run(mutant: Mutant) -> bool:
            copy = free.get()
            try:
                failure = copy.noticed(mutant, coverage)
            finally:
                free.put(copy)
            print(f"{'noticed ' if failure else 'SURVIVED'} {mutant}  {failure}", flush=True)
            return bool(failure)

        with ThreadPoolExecutor(arguments.processes) as pool:
            count = sum(pool.map(run, chosen))
        for copy in copies:
            copy.end()
    print(f"{count} of {len(chosen)} noticed by the tests marked {arguments.marked!r}")


if __name__ == "__main__":
    main()
