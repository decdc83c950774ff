"""The words that keys, names, columns, messages and docs use are those of the field.

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
"""Each old word, and the field's word in its place."""
WORDS = re.compile(rf"(?<![\w<|])({'|'.join(map(re.escape, OLD))})(?![\w>])", re.I)
FOREIGN = re.compile(r"<\W*thought|thought process|title: headline|channel\\?\|>", re.I)
"""Models' own marks, and the contents of examples."""


def found(text: str) -> list[str]:
    """The lines of a text with an old word."""
    return [
        line.strip()[:120]
        for line in text.splitlines()
        if WORDS.search(line) and not FOREIGN.search(line)
    ]


def keys(schema: object) -> Iterator[str]:
    """The names of properties in a JSON schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        schema = list(schema.values())
    if isinstance(schema, list):
        for value in schema:
            yield from keys(value)


def messages(path: Path) -> Iterator[str]:
    """The sentences of a module: string literals with a space, without docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and " " in value and id(node) not in statements:
            yield value


def test_no_label_note_message_or_key_has_an_old_word():
    schema = json.loads((ROOT / "config/schema.json").read_text("utf-8"))
    assert [key for key in keys(schema) if found(key.replace("_", " "))] == []
    texts = {
        str(path): found(path.read_text("utf-8"))
        for path in ROOT.glob("resources/**/*.yaml")
        if path.stem in ("tables", "show", "summary", "data_notes", "corrected", "agreement")
    }
    assert {path: lines for path, lines in texts.items() if lines} == {}
    texts = {
        str(path.relative_to(ROOT)): [line for text in messages(path) for line in found(text)]
        for path in sorted(SCRIPTS.rglob("*.py"))
    }
    assert {path: lines for path, lines in texts.items() if lines} == {}


@pytest.mark.parametrize("folder", ["scripts", "rules", "resources", "docs", "config"])
def test_no_file_is_named_by_an_old_word(folder):
    paths = (path for path in (ROOT / folder).rglob("*.*") if "__pycache__" not in path.parts)
    assert [path.name for path in paths if found(path.stem.replace("_", " "))] == []


PAGES = ["README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md"]
PAGES += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("docs/*.md"))]
PAGES += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("config/*.yaml"))]
PAGES += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("rules/*.smk"))]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_an_old_word(page):
    assert found((ROOT / page).read_text("utf-8")) == []
