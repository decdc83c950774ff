"""A config file as it is written: what is lost once it is read as a mapping."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from steadfast.base.errors import UserError
from steadfast.base.resources import HOME
from steadfast.config.values import dotted

T = TypeVar("T")
LARGEST = 4_000_000
"""Characters of a file, at most: more would take minutes to read."""
MOST_VALUES = 1_000_000
"""In a file, at most, each counted as often as anchors repeat it."""


def default_config() -> Path:
    """The config where none is named: that of the working directory, or the project's own."""
    here = Path("config/config.yaml")
    return here if here.is_file() else HOME / here


def check_source(path: Path | str, page: str = "docs/config.md") -> None:
    """Whether a config file can be read, and each of its keys stands once where it stands.

    YAML and JSON let the last of two equal keys win, and the first one's settings vanish. A file
    is checked by itself: one that changes keys of another is no mistake. ``page`` lists the keys.

    Raises:
        UserError: it is neither, or a key stands twice; the sentence names the line or both lines.
    """
    _read(path, lambda text, path: _check(text, path, page))


def read_source(path: Path | str) -> dict[str, Any]:
    """The keys of a config file, as Snakemake reads them."""
    check_source(path)
    found: dict[str, Any] = _read(path, lambda text, _: yaml.safe_load(text))
    return found


def typed(config: Mapping[str, Any], arguments: Iterable[str]) -> dict[str, Any]:
    """The config, with what ``--config`` gave as YAML would have it in a file.

    Snakemake takes all that stands in such a mapping or list for text, numbers and null too.
    """
    found = dict(config)
    for argument in arguments:
        key, _, text = argument.partition("=")
        try:
            as_text, value = yaml.load(text, yaml.BaseLoader), yaml.safe_load(text)
        except yaml.YAMLError:
            continue
        if key in found:
            found[key] = _typed(found[key], as_text, value)
    return found


def _typed(found: object, as_text: object, value: object) -> object:
    """What stands in the config, where it is an argument's text in its place as YAML's value."""
    match found, as_text, value:
        case dict(), dict(), dict():
            pairs = zip(as_text.items(), value.values(), strict=False)
            return found | {k: _typed(found[k], text, v) for (k, text), v in pairs if k in found}
        case list(), list(), list() if len(found) == len(value):
            return [_typed(*one) for one in zip(found, as_text, value, strict=True)]
        case str(), str(), None | bool() | int() | float() if found == as_text:
            return value
    return found


def _read(path: Path | str, read: Callable[[str, Path | str], T]) -> T:
    try:
        text = Path(path).read_text(encoding="utf-8")
        if len(text) > LARGEST:
            raise UserError(f"config: {path}: more than {LARGEST:,} characters; take some out")
        return read(_as_yaml(text), path)
    except OSError as error:
        raise UserError(f"config: {path}: {error.strerror}; name a file that can be read") from None
    except UnicodeDecodeError:
        raise UserError(f"config: {path}: it is not UTF-8 text; save it as UTF-8") from None
    except RecursionError:
        raise UserError(f"config: {path}: it is nested too deep; take levels out") from None
    except yaml.YAMLError as error:
        raise UserError(_complaint(path, error)) from None
    except ValueError as error:  # such as a date of month 13, or a number of 5,000 digits
        raise UserError(f"config: {path}: no valid YAML ({error}); correct that value") from None


def _check(text: str, path: Path | str, page: str) -> None:
    root = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        raise UserError(f"config: {path}: it holds no keys; {page} lists them")
    _check_keys(root, path, (), set())
    if _count(root, {}) > MOST_VALUES:
        raise UserError(
            f"config: {path}: more than {MOST_VALUES:,} values, each counted as often as anchors "
            "repeat it; take some out"
        )


def _count(node: yaml.Node, known: dict[int, int]) -> int:
    """The values below a node and itself; one within itself is counted once."""
    if id(node) not in known:
        known[id(node)] = 1
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        below = (one for pair in inner for one in (pair if isinstance(pair, tuple) else (pair,)))
        known[id(node)] += sum(_count(one, known) for one in below)
    return known[id(node)]


def _as_yaml(text: str) -> str:
    """A text that YAML's parser reads: of JSON too, which may be indented by tabs."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.replace("\t", " ")  # no string of JSON holds a tab as it is


def _complaint(path: Path | str, error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return (
            f"config: {path}:{error.problem_mark.line + 1}: no valid YAML ({error.problem}); mend "
            "that line, quoting texts that hold colons, braces or quotation marks"
        )
    return f"config: {path}: no valid YAML ({getattr(error, 'reason', error)})"


def _check_keys(
    node: yaml.Node, path: Path | str, place: Sequence[str | int], seen: set[int]
) -> None:
    if id(node) in seen:  # an anchor's value, which may hold itself
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _check_keys(item, path, (*place, number), seen)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = key.value if isinstance(key, yaml.ScalarNode) else f"line {line}"
            if (key.tag, name) in lines:
                raise UserError(
                    f"config: {path}:{line}: key '{dotted((*place, name))}' stands on line "
                    f"{lines[key.tag, name]} already; keep one of the two"
                )
            lines[key.tag, name] = line
            _check_keys(value, path, (*place, name), seen)
