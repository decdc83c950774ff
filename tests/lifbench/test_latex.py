"""The tables compile with LaTeX, with any names of models."""

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from score_records import PAPER_LENGTHS, frames_of, run, unscored
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS
from steadfast.benchmarks.lifbench.tables import tables as all_tables
from steadfast.benchmarks.lifbench.tables.results import STRINGS
from steadfast.show import latex
from steadfast.show.render import write_table
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stages.collect import collect_tables

pytestmark = pytest.mark.heavy

PACKAGES = ["texlive-latex-base", "texlive-latex-recommended"]
ALL = [f"lifbench_{name}" for name in (*STRINGS["captions"], "reproduction")]
LABELS = {
    "m0": "50%_of $a & b",
    "m1": r"\input{/etc/passwd} #1 ^~ {[*]}",
    "m2": "Ünïcödé 模型 — “quoted” -- ,, '' ``",
    "m3": "a fairly long name of a model that was tuned to follow-instructions-v2",
    "m4": "<b>|x|</b>\n\\\\[3cm]",
    "m5": "name " * 100,
}
MINIMAL = r"""\documentclass{article}
\usepackage{booktabs,graphicx}
\begin{document}
\input{%s.tex}
\end{document}
"""


@pytest.fixture(scope="module", autouse=True)
def pdflatex(tmp_path_factory):
    """LaTeX, installed where it is missing and can be."""
    # Tests run in parallel: one of them installs, the others wait.
    shared = tmp_path_factory.getbasetemp().parent
    with open(shared / "latex.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if shutil.which("pdflatex"):
            return
        if not shutil.which("apt-get"):
            pytest.skip("no pdflatex, and no apt-get to install it with")
        for command in (
            ["update", "-qq"],
            ["install", "-yqq", "--no-install-recommends", *PACKAGES],
        ):
            process = subprocess.run(
                ["apt-get", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                text=True,
                check=False,
            )
            if process.returncode:
                reason = process.stderr.strip()[-200:]
                pytest.skip(f"no pdflatex, and apt-get could not install it: {reason}")


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> Path:
    """Tables of more models than a page takes, some truncated, some with unscored samples."""
    directory = tmp_path_factory.mktemp("latex")
    levels = {f"m{i}": 0.2 + i / 20 for i in range(12)} | {"sim-a": 0.9, "reference": 1.0}

    scores = []
    for scored in run(levels, PAPER_LENGTHS):
        if (scored.model, scored.part) == ("m0", "128k"):
            scored = unscored(scored)
        elif (scored.model, scored.part) == ("m1", "128k"):
            scored = scored._replace(record=scored.record | {"prompt_truncated": True})
        scores.append(scored)
    frames = frames_of(scores, directory)
    models = {}
    for model in levels:
        group = "API & Co." if model < "m2" else "Models > 20B"
        models[model] = DisplayedModel(LABELS.get(model, model), group)
    display = Display(group_order=["API & Co."], models=models)
    paper = dict(zip(levels, list(PAPER_MODELS)[:12], strict=False))  # m0 to m11
    for table in all_tables(frames, display, "rubric", "released", released=paper):
        write_table(table, directory / "built")
    names = [directory / "built" / f"{name}.tex" for name in ALL]
    collect_tables(names, directory / "tables")
    return directory / "tables"


def compile_latex(path: Path) -> str:
    """Compiles a document and gives its log."""
    command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
    process = subprocess.run(
        [*command, path.name], cwd=path.parent, capture_output=True, timeout=120, check=False
    )
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert process.returncode == 0, log[-2000:]
    return log


def test_special_characters_compile(tmp_path):
    codes = [*range(0x250), *range(0x2000, 0x2100), 0x4E00, 0xFFFD, 0x1F600]
    codes += map(ord, latex.SPECIAL)
    lines = [latex.escape(f"x{chr(code)}{chr(code)}x") for code in codes]
    text = "\\documentclass{article}\\begin{document}\n%s\n\\end{document}\n"
    document = tmp_path / "characters.tex"
    document.write_text(text % "\n\n".join(lines), encoding="utf-8")
    assert "Missing character" not in compile_latex(document)


def check_layout(log: str) -> None:
    """That no line sticks out by more than can be seen, and all tables fit a page."""
    widths = re.findall(r"Overfull \\hbox \((\d+\.\d+)pt", log)
    assert max(map(float, widths), default=0) <= 1
    assert "Float too large" not in log


def test_all_tables_compile_together(tables):
    check_layout(compile_latex(tables / "all_tables.tex"))


@pytest.mark.parametrize("name", ALL)
def test_each_table_compiles_in_a_minimal_document(tables, name):
    document = tables / f"minimal_{name}.tex"
    document.write_text(MINIMAL % name, encoding="utf-8")
    check_layout(compile_latex(document))
