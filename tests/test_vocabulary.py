"""Keys, names, columns, messages and docs use the words of the field.

Old words are refused or were renamed (resources/removed_keys.yaml, CHANGELOG.md).
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "scripts/steadfast"

OLD = {
    "floor": "baseline",
    "stand-in": "simulated model",
    "gold": "reference answer",
    "thought": "reasoning",
    "noise": "nondeterminism, run-to-run variation",
    "draws": "repeats",
    "lineage": "provenance",
    "seal": "provenance",
    "identity": "provenance",
    "certificate": "power analysis",
    "headline": "summary",
    "turned away": "rejected",
    "beaten by": "worse than",
    "may be first": "cannot be ruled out as best",
    "asked anew": "re-requested",
}
"""The field's word for each old word."""
WORDS = re.compile(rf"(?<![\w<|])({'|'.join(map(re.escape, OLD))})(?![\w>])", re.I)
ALLOWED = re.compile(r"<\W*thought|thought process|title: headline|channel\\?\|>", re.I)
"""Models' own marks, and the contents of examples."""


def old_words(text: str) -> list[str]:
    """The lines of a text with an old word."""
    lines = [line for line in text.splitlines() if WORDS.search(line) and not ALLOWED.search(line)]
    return [line.strip()[:120] for line in lines]


def property_names(schema: object) -> Iterator[str]:
    """The names of properties in a JSON schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        schema = list(schema.values())
    if isinstance(schema, list):
        for value in schema:
            yield from property_names(value)


def messages(path: Path) -> Iterator[str]:
    """The string literals of a module with a space, without docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and " " in value and id(node) not in docstrings:
            yield value


def test_config_keys_have_no_old_words():
    schema = json.loads((ROOT / "config/schema.json").read_text("utf-8"))
    assert old_words("\n".join(property_names(schema)).replace("_", " ")) == []


TEXTS = {"tables", "show", "summary", "data_notes", "corrected", "agreement"}


def test_labels_and_notes_have_no_old_words():
    for path in ROOT.glob("resources/**/*.yaml"):
        if path.stem in TEXTS:
            assert old_words(path.read_text("utf-8")) == [], path


def test_messages_have_no_old_words():
    for path in SCRIPTS.rglob("*.py"):
        assert old_words("\n".join(messages(path))) == [], path


@pytest.mark.parametrize("folder", ["scripts", "rules", "resources", "docs", "config"])
def test_file_names_have_no_old_words(folder):
    paths = [path for path in (ROOT / folder).rglob("*.*") if "__pycache__" not in path.parts]
    assert [path.name for path in paths if old_words(path.stem.replace("_", " "))] == []


PAGES = ["README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md"]
for pattern in ("docs/*.md", "config/*.yaml", "rules/*.smk"):
    PAGES += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(pattern))]


@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_old_words(page):
    assert old_words((ROOT / page).read_text("utf-8")) == []
