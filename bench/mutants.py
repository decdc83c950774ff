"""Whether the tests notice faults: python bench/mutants.py --seed 1 --count 100 [--marked TIER].

Draws statements of the whole package by a seed, changes one operator or constant in each, and runs
a tier of the tests on the changed copy, the tests that import the module most directly first, up to
the first failure. Prints each mutant with what noticed it; survivors are to be read one by one.
Work is done in clones of the checkout, one a process; what is not committed is in none.
"""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts/steadfast"
QUICK = "not heavy and not wide"
NEAR = 6  # test files that are run before all others
# Seconds, after which a mutant that never ends counts as noticed.
NEAR_LIMIT = 300
LIMIT = 1200
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

    def __str__(self) -> str:
        source = self.path.read_text("utf-8")
        line = source.count("\n", 0, self.start) + 1
        before = source[self.start : self.end].strip()
        return f"{self.path.relative_to(PACKAGE)}:{line}: {before} -> {self.text.strip()}"


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


def imports(path: Path, folders: list[Path]) -> set[Path]:
    """Returns the files of the package and the tests that a file imports or names."""
    text = path.read_text("utf-8")
    names = set(re.findall(r"\"(steadfast[\w.]+):\w+\"", text))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    found = set()
    for name in names:
        for folder in folders:
            module = folder / name.replace(".", "/")
            for file in (module.with_suffix(".py"), module / "__init__.py"):
                if file.is_file():
                    found.add(file)
    return found


def by_distance() -> dict[Path, list[Path]]:
    """Returns by module the test files that import it, the most direct ones first."""
    tests = ROOT / "tests"
    folders = [
        ROOT / "scripts",
        *(folder for folder in [tests, *tests.rglob("*")] if folder.is_dir()),
    ]
    files = [*PACKAGE.rglob("*.py"), *tests.rglob("*.py")]
    graph = {file: imports(file, folders) for file in files}
    order: dict[Path, list[tuple[int, Path]]] = {}
    for test in sorted(tests.rglob("test_*.py")):
        distance = {test: 0}
        queue = deque([test])
        while queue:
            file = queue.popleft()
            for imported in graph.get(file, ()):
                if imported not in distance:
                    distance[imported] = distance[file] + 1
                    queue.append(imported)
        for file, steps in distance.items():
            order.setdefault(file, []).append((steps, test))
    return {file: [test for _, test in sorted(steps)] for file, steps in order.items()}


def noticed(mutant: Mutant, tests: list[Path], copy: Path, marked: str) -> str:
    """Returns the first test that fails on the mutant; empty where none does."""
    target = copy / mutant.path.relative_to(ROOT)
    source = mutant.path.read_text("utf-8")
    target.write_text(source[: mutant.start] + mutant.text + source[mutant.end :], "utf-8")
    # Most mutants are noticed by a near test, which is collected in a second; all of them take half
    # a minute. What runs Snakemake or imports nothing of the module by name follows at the end.
    near = tests[:NEAR]
    others = sorted(set((ROOT / "tests").rglob("test_*.py")) - set(tests))
    try:
        for files, limit in ((near, NEAR_LIMIT), ([*tests[NEAR:], *others], LIMIT)):
            failure = first_failure(files, copy, marked, limit) if files else ""
            if failure:
                return failure
    except subprocess.TimeoutExpired:
        return "the limit of time"
    finally:
        target.write_text(source, "utf-8")
    return ""


def first_failure(files: list[Path], copy: Path, marked: str, limit: int) -> str:
    """Returns the first test of some files that fails in a copy; empty where none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-m", marked, "--no-header"]
    command += ["-p", "no:cacheprovider", *(str(file.relative_to(ROOT)) for file in files)]
    environment = {**os.environ, "CI": "1"}
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=limit
    )
    if done.returncode in (0, 5):  # 5: none of the files has tests of the tier
        return ""
    failure = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
    return failure[1] if failure else f"exit code {done.returncode}"


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
    order = by_distance()
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

        def run(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                failure = noticed(mutant, order.get(mutant.path, []), copy, arguments.marked)
            finally:
                copies.put(copy)
            print(f"{'noticed ' if failure else 'SURVIVED'} {mutant}  {failure}", flush=True)
            return bool(failure)

        with ThreadPoolExecutor(arguments.processes) as pool:
            count = sum(pool.map(run, chosen))
    print(f"{count} of {len(chosen)} noticed by the tests marked {arguments.marked!r}")


if __name__ == "__main__":
    main()
