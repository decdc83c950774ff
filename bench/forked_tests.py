"""A pytest plugin with which one session runs tests on many changes of the package.

Used by mutants.py. The tests are collected and the package is imported once; each change is made in
a forked process, whose functions get the changed code. What an import executes is not changed.
"""

import contextlib
import gc
import importlib
import os
import pkgutil
import select
import signal
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from multiprocessing.connection import Client, Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

ADDRESS = "MUTANTS_ADDRESS"  # variable with the socket over which changes come
LAZY = ("matplotlib.pyplot", "openai", "scipy.stats", "sklearn.cluster")  # imported when needed
LIMIT = 200  # seconds, after which tests that never end count as failed
OPTIMIZED = 1  # flag of the code of functions, not of classes


class Change(NamedTuple):
    """A module with its text before and after, and the tests to run, the quickest first."""

    path: Path
    before: str
    after: str
    tests: list[str]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Receives changes until the connection ends; answers each with the test that failed first."""
    import_package()
    functions = functions_by_file()
    gc.enable()
    gc.freeze()  # collections in the processes leave what is loaded alone, and its memory shared
    items = {item.nodeid: item for item in session.items}
    with Client(os.environ[ADDRESS]) as connection:
        while change := connection.recv():
            with tempfile.TemporaryDirectory() as folder:
                child = os.fork()
                if not child:
                    run_changed(session, items, functions, change, Path(folder), connection)
                await_end(child, connection)
    return True


def import_package() -> None:
    """Imports all modules, so that no forked process has to."""
    package = importlib.import_module("steadfast")
    modules = [module.name for module in pkgutil.walk_packages(package.__path__, "steadfast.")]
    for name in [*LAZY, *modules]:
        with contextlib.suppress(ImportError):  # of a package that is not installed, such as vLLM
            importlib.import_module(name)


def functions_by_file() -> dict[str, list[FunctionType]]:
    """Returns all functions by the file of their code."""
    gc.unfreeze()  # what conftest.py has frozen could not be listed
    functions = defaultdict(list)
    for value in gc.get_objects():
        if type(value) is FunctionType:
            functions[value.__code__.co_filename].append(value)
    return functions


def run_changed(
    session: pytest.Session,
    items: dict[str, pytest.Item],
    functions: dict[str, list[FunctionType]],
    change: Change,
    folder: Path,
    connection: Connection,
) -> None:
    """Runs the tests of a change in this process up to the first that fails, and ends it."""
    os.setpgid(0, 0)  # what tests start is killed with it
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    session.config._tmp_path_factory._given_basetemp = folder / "tests"
    replace_code(functions[str(change.path)], change)
    failed = ""
    for test, following in zip(change.tests, [*change.tests[1:], None], strict=True):
        reports = runtestprotocol(items[test], nextitem=items.get(following), log=False)
        if any(report.failed for report in reports):
            failed = test
            break
    connection.send(failed)
    os._exit(0)


def replace_code(functions: list[FunctionType], change: Change) -> None:
    """Gives the functions of a module the code of its changed text."""
    before = function_codes(compile(change.before, str(change.path), "exec", dont_inherit=True))
    after = function_codes(compile(change.after, str(change.path), "exec", dont_inherit=True))
    changed = dict(zip(before, after, strict=True))  # two equal functions have equal changes
    for function in functions:
        function.__code__ = changed.get(function.__code__, function.__code__)


def function_codes(code: CodeType) -> Iterator[CodeType]:
    """Yields the code of functions of a module and of its classes, not of those in functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & OPTIMIZED:
                yield constant
            else:
                yield from function_codes(constant)


def await_end(child: int, connection: Connection) -> None:
    """Waits for a forked process, which has answered unless it was killed."""
    descriptor = os.pidfd_open(child)
    ended, _, _ = select.select([descriptor], [], [], LIMIT)
    os.close(descriptor)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if status:
        connection.send("a death" if ended else "the limit of time")
