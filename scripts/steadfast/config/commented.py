"""A config as YAML in which a comment above each key says what it is, in the schema's words."""

import inspect
import textwrap
from collections.abc import Iterator, Mapping

import yaml
from pydantic import BaseModel

from steadfast.base.files import Settings
from steadfast.config.load import load_config

COLUMNS = 96


def commented(raw: Settings) -> str:
    """A config's text, of the keys that it states.

    Raises:
        UserError: it is not valid.

    Example:
        >>> floor = {"models": {"floor": {"engine": "floor"}}}
        >>> print(commented(floor), end="")
        # The models by name; names starting with sim- are simulated readers.
        models:
          floor:
            # Answers in the right form and looks nothing up; scores are read beside its own.
            engine: floor
    """
    return "\n".join(_lines(raw, load_config(raw))) + "\n"


def _lines(
    raw: Settings, section: BaseModel | Mapping[str, BaseModel], indent: str = ""
) -> Iterator[str]:
    for key, value in raw.items():
        if isinstance(section, BaseModel):
            inner = getattr(section, key)
            text = type(section).model_fields[key].description or inspect.getdoc(type(section))
            begin = indent + "# "
            yield textwrap.fill(text or "", COLUMNS, initial_indent=begin, subsequent_indent=begin)
        else:
            inner = section[key]
        if _has_sections(inner):
            yield f"{indent}{_plain(key)}:"
            yield from _lines(value, inner, indent + "  ")
        else:
            yield f"{indent}{_plain(key)}: {_plain(value)}"


def _has_sections(value: object) -> bool:
    values = value.values() if isinstance(value, dict) else (value,)
    return any(isinstance(one, BaseModel) for one in values)


def _plain(value: object) -> str:
    """A value on one line, as YAML reads it again."""
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10**6
    )
    return text.removesuffix("\n").removesuffix("\n...")
