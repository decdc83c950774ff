"""FollowBench's surface: plain settings, files that exist, and code lists that miss nothing."""

import ast
from pathlib import Path

import pytest

from steadfast.config import load_config
from steadfast.errors import UserError
from steadfast.followbench import benchmark
from steadfast.followbench.tables import BUILDERS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts/steadfast"
ENTRIES = {
    "DATA_CODE": ["data.py"],
    "PROMPTS_CODE": ["prompts.py"],
    "JUDGING_CODE": ["judge.py"],
    "READING_CODE": ["verdicts.py", "readers.py"],
    "SCORING_CODE": ["scoring.py"],
    "METRICS_CODE": ["metrics.py"],
    "TABLES_CODE": ["tables.py", "figures.py"],
}
FACTS = ("DATA_FACTS", "JUDGING_FACTS", "SCORING_FACTS", "METRICS_FACTS", "TABLES_FACTS")


def configured(settings=None, **more):
    raw = {"benchmarks": ["followbench"], "models": {"m": {"engine": "reference"}}}
    raw["judges"] = {"ref": {"engine": "reference"}}
    return load_config({**raw, "followbench": settings or {}, **more})


def listed(places: tuple[str, ...]) -> set[Path]:
    found: set[Path] = set()
    for place in places:
        path = PACKAGE / place
        assert path.exists(), place
        found |= set(path.rglob("*.py")) if path.is_dir() else {path}
    return found


def module_file(module: str) -> Path | None:
    base = ROOT / "scripts" / module.replace(".", "/")
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file() and "followbench/" in path.as_posix():
            return path
    return None


def imported(path: Path) -> set[Path]:
    """The benchmark's modules that a module needs, itself included, through all of them."""
    found, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        for node in ast.walk(ast.parse(current.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                waiting += [file for name in names if (file := module_file(name))]
    return found - {PACKAGE / "followbench/__init__.py"}


@pytest.mark.parametrize("name", ENTRIES)
def test_code_lists_hold_all_that_is_imported(name):
    needed = set().union(*(imported(PACKAGE / "followbench" / e) for e in ENTRIES[name]))
    assert needed - listed(getattr(benchmark, name)) == set()


@pytest.mark.parametrize("engine", ["reference", "simulated", "openai"])
def test_inference_lists_no_scorer(engine):
    code = benchmark.inference_code(engine)
    assert not {"followbench/scoring.py", "followbench/judge.py"} & set(code)
    if engine != "openai":
        needed = imported(PACKAGE / "followbench/readers.py")
        assert needed - listed(code) == set()
    else:
        assert not {"followbench/rules", "followbench/verdicts.py"} & set(code)


def test_facts_and_templates_are_there():
    for name in FACTS:
        assert all((ROOT / path).is_file() for path in getattr(benchmark, name))
    assert all((ROOT / path).is_file() for path in benchmark.templates(configured()).values())


def test_settings_are_plain_and_hold_only_what_matters():
    config = configured({"groups": 7}, seed=5)
    wanted = {"source": "synthetic", "groups": 7, "seed": 5}
    assert benchmark.data_settings(config, "en") == wanted
    assert benchmark.data_files(config, "en") == []
    local = configured({"source": "local", "directory": "here", "labels": "people.jsonl"}, seed=5)
    assert benchmark.data_settings(local, "zh") == {"source": "local", "directory": "here"}
    assert "here/zh/mixed_constraints.json" in benchmark.data_files(local, "zh")
    assert benchmark.metrics_files(local) == {"labels": "people.jsonl"}
    released = configured({"source": "released"})
    assert benchmark.data_settings(released, "en") == {"source": "released"}


def test_parts_and_templates_follow_the_config():
    config = configured({"languages": ["zh"], "templates": {"zh": "mine.txt"}})
    assert benchmark.parts(config) == ["zh"]
    assert benchmark.templates(config) == {"zh": "mine.txt"}
    assert benchmark.sources(config, "zh") == {"data": {"zh": "results/followbench/data/zh.jsonl"}}
    with pytest.raises(UserError, match=r"followbench\.templates: unknown template 'cn'"):
        benchmark.templates(configured({"templates": {"cn": "mine.txt"}}))


def test_agreement_needs_two_raters():
    alone = benchmark.table_names(configured())
    judges = {"a": {"engine": "reference"}, "b": {"engine": "reference"}}
    two = benchmark.table_names(configured(judges=judges))
    assert set(two) - set(alone) == {"followbench_agreement", "followbench_table3_agreement"}
    assert two == list(BUILDERS)
    assert benchmark.table_names(configured({"labels": "people.jsonl"})) == two
