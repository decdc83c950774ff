"""The package's layers: imports go down only, and never from one benchmark to another."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

LAYERS = (
    {"command", "notebook"},
    {"benchmarks", "simple", "stages", "plan", "html_report", "compare", "share", "label",
     "doctor"},
    {"jobs", "show", "judging"},
    {"engines", "stats", "config", "workflow"},
    {"contract"},
    {"schema", "corpora"},
    {"base"},
)  # fmt: skip
"""From the top layer down, as CONTRIBUTING.md shows them."""
GRAPH = grimp.build_graph("steadfast", cache_dir=None)
SCRIPTS = Path(__file__).parents[1] / "scripts"


def package(module: str) -> str:
    """The package below steadfast, or the benchmark, that a module is in."""
    parts = module.split(".")
    return ".".join(parts[1:3] if parts[1] == "benchmarks" else parts[1:2])


def layer(module: str) -> int:
    """The number of a module's layer, from the top down."""
    for number, packages in enumerate(LAYERS):
        if module.split(".")[1] in packages:
            return number
    pytest.fail(f"{module} is in no layer: name its package in CONTRIBUTING.md and here")


def run_python(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=SCRIPTS, text=True, capture_output=True)


def test_imports_go_down_only_and_never_in_a_circle():
    imports = {name: GRAPH.find_modules_directly_imported_by(name) for name in GRAPH.modules}
    upwards = []
    for module in sorted(GRAPH.modules - {"steadfast"}):
        for imported in sorted(imports[module] - {"steadfast"}):
            if package(module) != package(imported) and layer(module) >= layer(imported):
                upwards.append(f"{module} imports {imported}")
    assert upwards == []
    TopologicalSorter(imports).prepare()  # names the circle that it finds


def test_modules_are_in_packages_of_a_layer():
    assert [path.name for path in SCRIPTS.glob("*.py")] == []
    assert [path.name for path in (SCRIPTS / "steadfast").glob("*.py")] == ["__init__.py"]


@pytest.mark.wide
def test_metrics_tables_and_figures_load_scipy_only_where_they_use_it():
    ends = (".metrics", ".tables", ".figures", ".draw", ".measure", ".tabulate", ".make_page")
    modules = sorted(module for module in GRAPH.modules if module.endswith(ends))
    code = f"import sys, {', '.join(modules)}\n"
    code += "sys.exit(str({'scipy.special', 'scipy.stats'} & set(sys.modules) or ''))"
    assert run_python("-c", code).stderr.strip() == ""


WATCHED_IMPORTS = """
import builtins, sys
from importlib import import_module

plain = builtins.__import__
loaded = []

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


def test_modules_of_snakefile_and_rules_load_no_pandas():
    """Every process of Snakemake imports them, before its first job."""
    sources = [SCRIPTS.parent / "Snakefile", *(SCRIPTS.parent / "rules").glob("*.smk")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    modules = sorted(set(re.findall(r"^from (steadfast\S*) import", text, re.M)))
    assert run_python("-c", WATCHED_IMPORTS, *modules).stderr.strip() == ""
