"""Rules know what they depend on: what a job loads is in its digest, and nothing else is."""

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

# Python runs this in every job: it writes down what the job has loaded and read by its end.
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
def recorded(tmp_path_factory) -> list[dict]:
    """What each job of a run of everything loaded and read."""
    project = Project.new(tmp_path_factory.mktemp("recorded"), EVERYTHING, with_data=False)
    records = project.path("records")
    records.mkdir()
    # Among the modules, so that nothing is taken for imported before (warm_python).
    project.path("scripts/sitecustomize.py").write_text(RECORDER)
    # A forked job has what others need, too.
    environment = {"PYTHONPATH": str(project.path("scripts")), "RECORDS": str(records), SWITCH: "0"}
    project.snakemake(*TARGETS, **environment)
    return [json.loads(path.read_text()) for path in sorted(records.iterdir())]


def names_of(record: dict) -> list[str]:
    """The module and names that a job's digest is said to be made of."""
    return record["code"].partition(" @ ")[0].split()


def test_every_rule_that_makes_a_file_was_recorded(recorded):
    rules = {record["rule"] for record in recorded}
    expected = {"prompts", "inference", "judge_prompts", "verdicts", "scores", "summary", "tables"}
    expected |= {"trial_prompts", "usage", "plan", "nondeterminism_part"}
    expected |= {"corpus", "contexts", "expressions"}
    for name in ("lifbench", "followbench", "cfbench", "complexbench"):
        expected |= {f"{name}_metrics", f"{name}_tables", f"{name}_figures"}
    assert expected <= rules


def test_what_a_job_loaded_is_in_its_digest_and_nothing_else(recorded):
    differences = {}
    for record in recorded:
        names = names_of(record)
        script = {names[0], names[0].rpartition(".")[0]}  # which no job imports
        known = modules(*names)
        loaded = script | set(record["modules"])
        if known != loaded:
            differences[record["rule"], record["code"]] = {
                "loaded, not known": sorted(loaded - known),
                "known, not loaded": sorted(known - loaded),
            }
    assert differences == {}


def test_the_data_files_that_a_job_read_are_in_its_digest(recorded):
    unknown = {}
    for record in recorded:
        # Files whose names follow from settings are named by the component; vocabularies are
        # checked by tiktoken itself.
        known = {path.name for path in resources(*names_of(record))}
        read = {Path(path).name for path in record["read"]}
        if missing := sorted(read - known - NAMED_BY_SETTINGS):
            unknown[record["rule"], record["code"]] = missing
    assert unknown == {}


NAMED_BY_SETTINGS = {
    path.name
    for kind in ("expressions", "scenarios")
    for path in (ROOT / "resources/lifbench" / kind).iterdir()
}
NAMED_BY_SETTINGS |= {path.name for path in (ROOT / "resources").glob("*/judge/*.txt")}


DIGEST = (
    "from steadfast.jobs.digests import digest; "
    "print(digest('steadfast.base.errors', 'small.main:run'))"
)
USED = '"""Used."""\n\nimport os\n\n\ndef double(x):\n    return 2 * x\n'
CHANGES = (
    # Docstrings, comments and the form.
    ("used", '"""Another."""\nimport os  # a comment\ndef double(x): return 2 * x\n', False),
    ("used", "import os\n\n\ndef double(x):\n    return x + x\n", True),
    ("other", "X = 2\n", False),  # nothing imports it
    ("main", "def run():\n    from . import other\n    return other.X\n", True),
    ("other", "X = 3\n", True),
    ("main", "def run():\n    return 1\n", True),
    ("other", "X = 4\n", False),
    ("main", "def run():\n    from small.other import X\n    return X\n", True),
    ("other", "X = 5\n", True),
    (
        "main",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .other import X\n"
        "def run():\n    return 1\n",
        True,
    ),
    ("other", "X = 6\n", False),
)
"""The text that a module of the package gets, and whether the digest is another by it."""


def test_the_digest_follows_code_alone_and_relative_and_lazy_imports(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    main = "from small.used import double\n\n\ndef run():\n    return double(1)\n"
    first = {"__init__": "", "used": USED, "main": main, "other": "X = 1\n"}

    def digest_after(module: str, text: str) -> str:
        """As a fresh process finds it."""
        (folder / f"{module}.py").write_text(text)
        path = os.pathsep.join([str(tmp_path), str(ROOT / "scripts")])
        done = subprocess.run(
            [warm_python(), "-c", DIGEST],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    for module, text in first.items():
        (folder / f"{module}.py").write_text(text)
    before = digest_after("used", USED)
    for module, text, changes in CHANGES:
        after = digest_after(module, text)
        assert (after != before) == changes, (module, text)
        before = after


@pytest.mark.parametrize("name", ["stages.one_load", "stages.tabulate", "share.bundle"])
def test_imports_are_those_that_grimp_finds(name):
    graph = grimp.build_graph("steadfast", cache_dir=None, exclude_type_checking_imports=True)
    expected = set()
    new = {f"steadfast.{name}"}
    while new:
        found = {up for one in new for up in graph.find_upstream_modules(one)} | new
        parents = {one.rsplit(".", up)[0] for one in found for up in range(one.count(".") + 1)}
        expected |= found
        new = parents - expected
    assert modules(f"steadfast.{name}") == expected


def test_no_module_imports_its_own_package_lazily():
    """A lazy import would be in the digest of jobs that never take it; commands are no job."""
    lazy = []
    package = ROOT / "scripts/steadfast"
    for path in sorted({*package.rglob("*.py")} - {*package.glob("command/*.py")}):
        tree = ast.parse(path.read_text())
        functions = [
            n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        for function in functions:
            for node in ast.walk(function):
                names = []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                elif isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                lazy += [f"{path.name}: {name}" for name in names if name.startswith("steadfast")]
    assert lazy == []


def test_the_digest_says_what_it_is_of():
    text = digest("steadfast.stages.draw", "steadfast.benchmarks.cfbench.figures:figures")
    names = r"steadfast\.stages\.draw steadfast\.benchmarks\.cfbench\.figures:figures"
    assert re.fullmatch(rf"{names} @ [0-9a-f]{{16}}", text)


def test_a_module_of_no_package_depends_on_all_that_it_imports(tmp_path, monkeypatch):
    (tmp_path / "alone.py").write_text(
        "import steadfast.base.literals\nfrom steadfast.base import tokens\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = modules("alone:Scorer")
    assert {"alone", "steadfast.base.literals", "steadfast.base.tokens"} <= found
    digest("alone:Scorer")


def test_what_is_no_python_module_is_one_sentence():
    for name in ("no_such_module:x", "math:sqrt"):
        with pytest.raises(UserError, match=r"no such module; correct the name"):
            digest(name)
