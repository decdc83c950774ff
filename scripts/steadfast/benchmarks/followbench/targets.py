"""How the targets of items are written: as the form of an answer, or as a list of strings."""

from steadfast.base.literals import parse_literal

INSTRUCTION = "{instruction}\n"
SLOT = "{answer}"


def affixes(target: str) -> tuple[str, str]:
    """Returns what an answer template asks for before and after the answer itself."""
    before, _, after = target.removeprefix(INSTRUCTION).partition(SLOT)
    return _unescaped(before), _unescaped(after)


def _unescaped(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def string_list(text: str) -> list[str] | None:
    """Returns the strings of a Python list, read without evaluating it; None for any other text.

    >>> string_list("['a', 'b' 'c']"), string_list("['a', 1]")
    (['a', 'bc'], None)
    """
    _, value = parse_literal(text)
    plain = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if plain else None
