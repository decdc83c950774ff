"""Checks a config file's text for errors that reading it as a mapping would hide."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from steadfast.base.errors import UserError
from steadfast.base.resources import HOME
from steadfast.config.values import dotted_key

T = TypeVar("T")
# Maximum characters of a file: more would take minutes to read.
LARGEST = 4_000_000
# Maximum values in a file, each counted as often as anchors repeat it.
MOST_VALUES = 1_000_000


def default_config() -> Path:
    """The default config: that of the working directory, or the project's own."""
    local = Path("config/config.yaml")
    return local if local.is_file() else HOME / local


def check_source(path: Path | str, page: str = "docs/config.md") -> None:
    """Checks that a config file can be read, and has no key twice in the same section.

    In YAML and JSON the last of two equal keys wins, and the settings of the first vanish. Each
    file is checked by itself: it may override keys of another file. ``page`` lists the keys.

    Raises:
        UserError: it is no YAML or JSON, or has a key twice; the sentence names the lines.
    """
    _read(path, lambda text: _check_keys(text, path, page))


def read_source(path: Path | str) -> dict[str, Any]:
    """The keys of a config file, as Snakemake reads them."""
    check_source(path)
    config: dict[str, Any] = _read(path, yaml.safe_load)
    return config


def typed(config: Mapping[str, Any], arguments: Iterable[str]) -> dict[str, Any]:
    """The config with the values of ``--config`` typed as in a YAML file.

    Snakemake reads everything in such a mapping or list as strings, even numbers and null.
    """
    typed_config = dict(config)
    for argument in arguments:
        key, _, text = argument.partition("=")
        try:
            strings = yaml.load(text, yaml.BaseLoader)
            values = yaml.safe_load(text)
        except yaml.YAMLError:
            continue
        if key in typed_config:
            typed_config[key] = _typed(typed_config[key], strings, values)
    return typed_config


def _typed(current: object, strings: object, values: object) -> object:
    """A value of the config, with the typed value wherever it is the argument's string."""
    match current, strings, values:
        case dict(), dict(), dict():
            merged = dict(current)
            # By order, since keys may differ in type ("1", 1); keys that are equal numbers in other
            # spellings (1, 0x1) are one in values.
            for (key, text), value in zip(strings.items(), values.values(), strict=False):
                if key in current:
                    merged[key] = _typed(current[key], text, value)
            return merged
        case list(), list(), list() if len(current) == len(values):
            members = zip(current, strings, values, strict=True)
            return [_typed(member, text, value) for member, text, value in members]
        case str(), str(), None | bool() | int() | float() if current == strings:
            return values
    return current


def _read(path: Path | str, read: Callable[[str], T]) -> T:
    try:
        text = Path(path).read_text(encoding="utf-8")
        if len(text) > LARGEST:
            raise UserError(f"config: {path}: larger than {LARGEST:,} characters; shorten the file")
        return read(_as_yaml(text))
    except OSError as error:
        reason = error.strerror
        raise UserError(f"config: {path}: cannot be read ({reason}); check the path") from None
    except UnicodeDecodeError:
        raise UserError(f"config: {path}: not UTF-8 text; save the file as UTF-8") from None
    except RecursionError:
        raise UserError(f"config: {path}: nested too deeply; remove levels") from None
    except yaml.YAMLError as error:
        raise UserError(_syntax_error(path, error)) from None
    except ValueError as error:  # such as a date of month 13, or a number of 5,000 digits
        raise UserError(f"config: {path}: invalid YAML ({error}); correct that value") from None


def _check_keys(text: str, path: Path | str, page: str) -> None:
    root = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        raise UserError(f"config: {path}: contains no keys; {page} lists them")
    if _count_values(root, path, (), {}) > MOST_VALUES:
        raise UserError(
            f"config: {path}: more than {MOST_VALUES:,} values, counting every use of an anchor; "
            "remove some"
        )


def _as_yaml(text: str) -> str:
    """A text for YAML's parser, also of JSON, which may be indented with tabs."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.replace("\t", " ")  # strings in JSON contain no unescaped tabs


def _syntax_error(path: Path | str, error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return (
            f"config: {path}:{error.problem_mark.line + 1}: invalid YAML ({error.problem}); "
            "correct that line, and put strings with colons, braces or quotation marks in quotes"
        )
    return f"config: {path}: invalid YAML ({getattr(error, 'reason', error)}); correct the file"


def _count_values(
    node: yaml.Node, path: Path | str, key_path: Sequence[str | int], counts: dict[int, int]
) -> int:
    """The number of values at and below a node; raises UserError for a duplicate key.

    Each use of an anchor counts. ``counts`` are those of nodes so far, by their ids: a node that
    contains itself counts once.
    """
    if id(node) in counts:
        return counts[id(node)]
    counts[id(node)] = count = 1
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            count += _count_values(item, path, (*key_path, number), counts)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = key.value if isinstance(key, yaml.ScalarNode) else f"line {line}"
            if (key.tag, name) in lines:
                duplicate = dotted_key((*key_path, name))
                raise UserError(
                    f"config: {path}:{line}: duplicate key '{duplicate}', already "
                    f"on line {lines[key.tag, name]}; remove one of the two"
                )
            lines[key.tag, name] = line
            count += _count_values(key, path, key_path, counts)
            count += _count_values(value, path, (*key_path, name), counts)
    counts[id(node)] = count
    return count
