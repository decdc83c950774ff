"""Whether the tests notice faults: python bench/mutants.py --seed 1 --count 100 [--marked TIER].

Draws places in the whole package by a seed, and changes one operator or constant at each. The tests
of a tier are run once with coverage; on each changed copy then those that execute the changed
statement, and those that start programs, up to the first failure: no others can notice. Prints each
mutant with what noticed it; survivors are to be read one by one. Work is done in clones of the
checkout, one a process; what is not committed is in none.
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
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts/steadfast"
QUICK = "not heavy and not wide"
LIMIT = 1200  # seconds, after which a mutant that never ends counts as noticed
STARTED = "MUTANTS_STARTED"  # variable with the file of the tests that start programs
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
        variables = {STARTED: str(started), "PYTHONPATH": str(ROOT / "bench")}
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

    def tests(self, mutant: Mutant) -> Iterator[list[str]]:
        """Yields the tests that can notice a mutant: those that execute it, then those that may
        execute it in a program of theirs. Of what an import executes all tests can."""
        lines = statement(mutant)
        path = self._copy / mutant.path.relative_to(ROOT)
        files = defaultdict(set)
        for line, contexts in self._data.contexts_by_lineno(str(path)).items():
            if line in lines or not lines:
                for context in filter(None, contexts):
                    test, _, phase = context.rpartition("|")
                    file = test.partition("::")[0]
                    files[file].add(test if phase == "run" else file)
        # What a fixture executes may serve the other tests of the file, too.
        yield [
            test for file, tests in files.items() for test in ([file] if file in tests else tests)
        ]
        yield sorted(self._starting) if lines else ["tests"]


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
    command = [sys.executable, "-m", "pytest", "-q", "-m", marked, "--no-header"]
    with tempfile.TemporaryDirectory() as cache:
        return subprocess.run(
            [*command, "-p", "no:cacheprovider", *words],
            cwd=copy,
            env={**os.environ, "CI": "1", "XDG_CACHE_HOME": cache, **(variables or {})},
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )


def noticed(mutant: Mutant, tests: Iterable[list[str]], copy: Path, marked: str) -> str:
    """Returns the first test that fails on the mutant; empty where none does."""
    target = copy / mutant.path.relative_to(ROOT)
    source = mutant.path.read_text("utf-8")
    target.write_text(source[: mutant.start] + mutant.text + source[mutant.end :], "utf-8")
    try:
        for names in filter(None, tests):
            result = pytest(copy, marked, ["-x", "-n0", *names])
            if result.returncode == 4:  # a parameter's name has changed with the mutant
                files = sorted({name.partition("::")[0] for name in names})
                result = pytest(copy, marked, ["-x", "-n0", *files])
            if result.returncode not in (0, 5):  # 5: none of the files has tests of the tier
                failure = re.search(r"^(?:FAILED|ERROR) (\S+)", result.stdout, re.M)
                return failure[1] if failure else f"exit code {result.returncode}"
    except subprocess.TimeoutExpired:
        return "the limit of time"
    finally:
        target.write_text(source, "utf-8")
    return ""


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
        copies: Queue[Path] = Queue()
        for number in range(arguments.processes):
            copy = Path(folder, str(number))
            subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
            (copy / ".venv").symlink_to(ROOT / ".venv")
            copies.put(copy)
        coverage = Coverage(copy, arguments.marked, arguments.processes)

        def run(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                failure = noticed(mutant, coverage.tests(mutant), copy, arguments.marked)
            finally:
                copies.put(copy)
            print(f"{'noticed ' if failure else 'SURVIVED'} {mutant}  {failure}", flush=True)
            return bool(failure)

        with ThreadPoolExecutor(arguments.processes) as pool:
            count = sum(pool.map(run, chosen))
    print(f"{count} of {len(chosen)} noticed by the tests marked {arguments.marked!r}")


if __name__ == "__main__":
    main()
