"""The package's floors: imports go down only, and never from one benchmark to another."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

FLOORS = (
    ("command", "notebook"),
    (
        "benchmarks",
        "simple",
        "stages",
        "plan",
        "html_report",
        "compare",
        "share",
        "label",
        "doctor",
    ),
    ("jobs", "show", "judging"),
    ("engines", "stats", "config", "workflow"),
    ("contract",),
    ("schema", "corpora"),
    ("base",),
)
"""From the top floor down, as CONTRIBUTING.md shows them."""
GRAPH = grimp.build_graph("steadfast", cache_dir=None)
ROOT = Path(__file__).parents[1] / "scripts"


def room(module: str) -> str:
    """The package below steadfast, or the benchmark, that a module is in."""
    parts = module.split(".")
    return ".".join(parts[1:3] if parts[1] == "benchmarks" else parts[1:2])


def floor(module: str) -> int:
    names = [floor for floor in FLOORS if module.split(".")[1] in floor]
    assert names, f"{module} is on no floor: name its package in CONTRIBUTING.md and here"
    return -FLOORS.index(names[0])


def test_imports_go_down_only_and_never_in_a_circle():
    up = []
    for module in sorted(GRAPH.modules - {"steadfast"}):
        for imported in sorted(GRAPH.find_modules_directly_imported_by(module) - {"steadfast"}):
            if room(module) != room(imported) and floor(module) <= floor(imported):
                up.append(f"{module} imports {imported}")
    assert up == []
    imported = {one: GRAPH.find_modules_directly_imported_by(one) for one in GRAPH.modules}
    TopologicalSorter(imported).prepare()  # names the circle that it finds


def test_the_package_s_root_holds_nothing_but_itself():
    assert [path.name for path in ROOT.glob("*.py")] == []
    assert [path.name for path in (ROOT / "steadfast").glob("*.py")] == ["__init__.py"]


@pytest.mark.wide
def test_metrics_tables_and_figures_load_parts_of_scipy_only_where_they_use_them():
    ends = (".metrics", ".tables", ".figures", ".draw", ".measure", ".tabulate", ".make_page")
    modules = sorted(one for one in GRAPH.modules if one.endswith(ends))
    code = f"import sys, {', '.join(modules)}\n"
    code += "sys.exit(str({'scipy.special', 'scipy.stats'} & set(sys.modules) or ''))"
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True)
    assert made.stderr.strip() == ""


WATCHED_IMPORTS = """
import builtins, sys
from importlib import import_module

plain, loaded = builtins.__import__, []

def watched(name, names=None, *further):
    importer = (names or {}).get("__name__", "")
    if importer.startswith("steadfast") and name.split(".")[0] in {"numpy", "pandas", "scipy"}:
        loaded.append(f"{importer} imports {name}")
    return plain(name, names, *further)

builtins.__import__ = watched
for module in sys.argv[1:]:
    import_module(module)
sys.exit("\\n".join(loaded) or None)
"""
"""Imports by the package alone: Snakemake's plugins may load what they like."""


def test_what_reads_the_config_and_finds_the_jobs_loads_no_pandas():
    """Every process of Snakemake does, before its first job."""
    repository = ROOT.parent
    sources = [repository / "Snakefile", *(repository / "rules").glob("*.smk")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    modules = sorted(set(re.findall(r"^from (steadfast\S*) import", text, re.M)))
    loaded = subprocess.run(
        [sys.executable, "-c", WATCHED_IMPORTS, *modules], cwd=ROOT, text=True, capture_output=True
    )
    assert loaded.stderr.strip() == ""
