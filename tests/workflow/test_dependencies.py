"""Digests of rules: they cover what a job imports and reads, and nothing else."""

import ast
import json
import os
import re
import subprocess
from pathlib import Path

import grimp
import pytest

from project import ROOT, TINY, Project
from steadfast.base.errors import UserError
from steadfast.jobs.digests import digest, modules, resources
from steadfast.workflow.forking import SWITCH
from warm_python import warm_python

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

# Python runs this in every job: at its end it records what the job has imported and read.
RECORDER = """
import atexit, json, os, sys
opened = set()
def note(event, arguments):
    if event == "open" and str(arguments[0]).startswith(os.path.join(os.getcwd(), "resources")):
        opened.add(arguments[0])
sys.addaudithook(note)
def write():
    job = getattr(sys.modules["__main__"], "snakemake", None)
    if job is not None:
        own = {name for name in sys.modules if name.split(".")[0] == "steadfast"}
        record = {"rule": job.rule, "code": job.params.code, "modules": sorted(own)}
        record["read"] = sorted(opened)
        with open(os.path.join(os.environ["RECORDS"], f"{os.getpid()}.json"), "w") as out:
            json.dump(record, out)
atexit.register(write)
"""
EVERYTHING = {
    "models": {"sim-a": TINY["models"]["sim-a"]},
    "benchmarks": ["lifbench", "followbench", "cfbench", "complexbench"],
    "lifbench": {"lengths": {"2k": 2048}},
    "limit": 2,
    "followbench": {"languages": ["en"]},
    "cfbench": {},
    "complexbench": {"languages": ["zh"], "decomposition": True},
    "judges": {"reference": {"engine": "reference"}, "sim-judge": {"engine": "simulated"}},
}
TARGETS = (
    "all",
    "plan",
    "results/nondeterminism/lifbench/sim-a/2k.md",
    "results/nondeterminism/cfbench/sim-a/zh.md",
)


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> list[dict]:
    """Modules and data files that each job of a run imported and read."""
    project = Project.new(tmp_path_factory.mktemp("recorded"), EVERYTHING, with_data=False)
    folder = project.path("records")
    folder.mkdir()
    # Among the modules, so that warm_python does not import the package before.
    project.path("scripts/sitecustomize.py").write_text(RECORDER)
    # Forked jobs would have the imports of others, too.
    environment = {"PYTHONPATH": str(project.path("scripts")), "RECORDS": str(folder), SWITCH: "0"}
    project.snakemake(*TARGETS, **environment)
    return [json.loads(path.read_text()) for path in sorted(folder.iterdir())]


def names_of(record: dict) -> list[str]:
    """The module and components in a job's digest."""
    return record["code"].partition(" @ ")[0].split()


def test_each_rule_was_recorded(records):
    rules = {record["rule"] for record in records}
    expected = {"prompts", "inference", "judge_prompts", "verdicts", "scores", "summary", "tables"}
    expected |= {"trial_prompts", "usage", "plan", "nondeterminism_part"}
    expected |= {"corpus", "contexts", "expressions"}
    for name in ("lifbench", "followbench", "cfbench", "complexbench"):
        expected |= {f"{name}_metrics", f"{name}_tables", f"{name}_figures"}
    assert expected <= rules


def test_digest_covers_the_imported_modules(records):
    for record in records:
        names = names_of(record)
        script = {names[0], names[0].rpartition(".")[0]}  # which no job imports
        imported = script | set(record["modules"])
        assert modules(*names) == imported, (record["rule"], record["code"])


# Components name files that follow from settings.
NAMED_BY_SETTINGS = {
    path.name
    for pattern in ("lifbench/expressions/*", "lifbench/scenarios/*", "*/judge/*.txt")
    for path in (ROOT / "resources").glob(pattern)
}


def test_digest_covers_the_data_files(records):
    """Except for vocabularies, which tiktoken checks."""
    for record in records:
        covered = {path.name for path in resources(*names_of(record))}
        read = {Path(path).name for path in record["read"]}
        assert read <= covered | NAMED_BY_SETTINGS, (record["rule"], record["code"])


DIGEST = (
    "from steadfast.jobs.digests import digest; "
    "print(digest('steadfast.base.errors', 'small.main:run'))"
)
USED = '"""Used."""\n\nimport os\n\n\ndef double(x):\n    return 2 * x\n'
TYPING_IMPORT = "if TYPE_CHECKING:\n    from .other import X\ndef run():\n    return 1\n"
CHANGES = (
    # Docstrings, comments and format are no code.
    ("used", '"""Another."""\nimport os  # a comment\ndef double(x): return 2 * x\n', False),
    ("used", "import os\n\n\ndef double(x):\n    return x + x\n", True),
    ("other", "X = 2\n", False),  # nothing imports it
    ("main", "def run():\n    from . import other\n    return other.X\n", True),
    ("other", "X = 3\n", True),
    ("main", "def run():\n    return 1\n", True),
    ("other", "X = 4\n", False),
    ("main", "def run():\n    from small.other import X\n    return X\n", True),
    ("other", "X = 5\n", True),
    ("main", "from typing import TYPE_CHECKING\n" + TYPING_IMPORT, True),
    ("other", "X = 6\n", False),
)
"""New code of a module of the package, and whether it changes the digest."""


def test_digest_follows_code_and_relative_and_lazy_imports(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    main = "from small.used import double\n\n\ndef run():\n    return double(1)\n"
    for module, code in {"__init__": "", "used": USED, "main": main, "other": "X = 1\n"}.items():
        (folder / f"{module}.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "scripts")])

    def new_digest() -> str:
        return subprocess.run(
            [warm_python(), "-c", DIGEST],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    before = new_digest()
    for module, code, changes in CHANGES:
        (folder / f"{module}.py").write_text(code)
        after = new_digest()
        assert (after != before) == changes, (module, code)
        before = after


@pytest.mark.parametrize("name", ["stages.one_load", "stages.tabulate", "share.bundle"])
def test_imported_modules_agree_with_grimp(name):
    graph = grimp.build_graph("steadfast", cache_dir=None, exclude_type_checking_imports=True)
    expected = set()
    pending = {f"steadfast.{name}"}
    while pending:
        module = pending.pop()
        expected.add(module)
        pending |= graph.find_upstream_modules(module)
        pending.add(module.rpartition(".")[0] or module)  # a package is imported before its modules
        pending -= expected
    assert modules(f"steadfast.{name}") == expected


def test_no_module_imports_the_package_lazily():
    """A lazy import would be in the digest of jobs that do not use it; commands are no jobs."""
    lazy = []
    package = ROOT / "scripts/steadfast"
    for path in sorted({*package.rglob("*.py")} - {*package.glob("command/*.py")}):
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(function):
                code = ast.unparse(node)
                if isinstance(node, ast.Import | ast.ImportFrom) and "steadfast" in code:
                    lazy.append(f"{path.name}: {code}")
    assert lazy == []


def test_digest_names_what_it_covers():
    text = digest("steadfast.stages.draw", "steadfast.benchmarks.cfbench.figures:figures")
    names = r"steadfast\.stages\.draw steadfast\.benchmarks\.cfbench\.figures:figures"
    assert re.fullmatch(rf"{names} @ [0-9a-f]{{16}}", text)


def test_module_outside_a_package_depends_on_its_imports(tmp_path, monkeypatch):
    code = "import steadfast.base.literals\nfrom steadfast.base import tokens\n"
    (tmp_path / "alone.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    imports = {"alone", "steadfast.base.literals", "steadfast.base.tokens"}
    assert imports <= modules("alone:Scorer")
    digest("alone:Scorer")


@pytest.mark.parametrize("name", ["no_such_module:x", "math:sqrt"])
def test_missing_python_module_is_reported(name):
    with pytest.raises(UserError, match=r"no such module; correct the name"):
        digest(name)
