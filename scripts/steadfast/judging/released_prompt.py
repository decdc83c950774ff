"""A judge's prompt from the strings of a benchmark's released program, which is not run."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.pinned import download

_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}")


def fetched_template(
    inputs: Mapping[str, Path],
    benchmark: str,
    url: str,
    name: str,
    slots: Sequence[str] | Mapping[str, str],
) -> str:
    """A prompt of a benchmark's program as a template.

    Args:
        inputs: none.
        benchmark: its name.
        url: of the program, with the commit.
        name: of what the program assigns the prompt to.
        slots: of the template: in the order in which they part the program's texts, or by the
            names of the replacement fields in its one text.
    """
    source = program(url, benchmark)
    if isinstance(slots, Mapping):
        (text,) = texts_of(source, name, 1, url)
        return fill_slots(text, {field: f"{{{{{slot}}}}}" for field, slot in slots.items()})
    texts = texts_of(source, name, len(slots) + 1, url)
    template = texts[0]
    for slot, text in zip(slots, texts[1:], strict=True):
        template += f"{{{{{slot}}}}}{text}"
    return template


def program(url: str, benchmark: str) -> str:
    """A benchmark's released program, which the commit in its address identifies."""
    alternative = f"name a file with the prompt under {benchmark}.templates"
    return download({"url": url}, alternative).decode("utf-8")


def texts_of(source: str, name: str, count: int, where: str) -> list[str]:
    """The texts in a function, or in what a name is assigned, in their order.

    Args:
        source: a program in Python.
        name: of a function, or of a lambda or text at the top of the program.
        count: of texts that there must be, so that another program is refused.
        where: what the program is called in errors.
    """
    try:
        nodes = [node for node in ast.parse(source).body if name in _names(node)]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        nodes = []
    texts: list[tuple[int, int, str]] = []
    for node in ast.walk(nodes[0]) if nodes else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append((node.lineno, node.col_offset, node.value))
    texts.sort(key=lambda text: text[:2])  # parts of one f-string have one position, in order
    if len(texts) != count:
        raise UserError(
            f"{where}: {name} could not be read as a prompt ({len(texts)} strings found, not "
            f"{count}); name a file with the prompt under templates"
        )
    return [text for _, _, text in texts]


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def fill_slots(text: str, values: Mapping[str, str]) -> str:
    """A text with its fields filled as by ``str.format``, which would read attributes too.

    >>> fill_slots("{{a}} {a} {}", {"a": "1", "": "2"})
    '{a} 1 2'
    """
    # A match without a name is a doubled brace, of which one stays.
    return _FIELD.sub(lambda match: match[0][0] if match[1] is None else values[match[1]], text)
