"""What stands behind a rule's name: lists, ranges, texts. Parsed, never evaluated.

Errors carry the name of the exception that the released code raises at the same place.
"""

import re
from collections.abc import Callable

from steadfast.complexbench.rules.outcome import RuleError

_NUMBER = re.compile(r"[+-]?(0+|[1-9][0-9]*|[0-9]+\.[0-9]*|\.[0-9]+)")  # as in Python's source
_NAME = re.compile(r"[^\W\d]\w*")
_KEY = re.compile(r"\s*(?:\"([^\"\\\n]*)\"|'([^'\\\n]*)'|([^\W\d]\w*))\s*(?:,|$)")
_KEYS = re.compile(f"(?:{_KEY.pattern})*")
UNQUOTED = "the keys must stand in straight quotation marks"


def bracketed(rule: str, name: str) -> str:
    """What stands between ``name:[`` and the bracket that ends the rule.

    Raises:
        RuleError: IndexError where the rule has no such list on its last line.
    """
    line = rule.removesuffix("\n").rpartition("\n")[2]
    _, found, rest = line.partition(f"{name}:[")
    if not found or not rest.endswith("]"):
        raise RuleError("IndexError", f"no list in brackets after {name!r} ends the rule")
    return rest[:-1]


def words(rule: str, name: str, stripped: bool = True) -> list[str]:
    """The items of a rule's list: what stands between its ASCII commas."""
    items = bracketed(rule, name).split(",")
    return [item.strip() for item in items] if stripped else items


def limits(numbers: list[str]) -> Callable[[int], bool]:
    """Whether a number lies in a range, both ends in it.

    Ends are read when a number is looked at, the upper one only if the number reaches the lower.

    Raises:
        RuleError: by what is returned: IndexError where an end is missing, NameError where a word
            stands for one, SyntaxError where anything else does.
    """
    return lambda number: _end(numbers, 0) <= number <= _end(numbers, 1)


def _end(numbers: list[str], place: int) -> float:
    if place >= len(numbers):
        raise RuleError("IndexError", "a range needs two numbers")
    text = numbers[place].strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    kind = "NameError" if _NAME.fullmatch(text) else "SyntaxError"
    raise RuleError(kind, f"{text[:40]!r} is no number")


def after(rule: str, name: str) -> str:
    """The text that follows ``name:``, to the rule's end.

    Raises:
        RuleError: IndexError where the rule has no such name with a colon.
    """
    _, found, text = rule.partition(f"{name}:")
    if not found:
        raise RuleError("IndexError", f"no text after {name!r}")
    return text


def pair(rule: str, first: str, second: str) -> tuple[str, str]:
    """The texts that follow ``first:`` and, on a later line, ``second:``.

    Raises:
        RuleError: AttributeError where the rule has not both, in that order.
    """
    _, found, rest = rule.partition(f"{first}:")
    begin, parted, end = rest.rpartition(f"\n{second}:")
    if not found or not parted:
        raise RuleError("AttributeError", f"no {first!r} with {second!r} on a line below")
    return begin, end


def quoted_words(content: str) -> list[str]:
    """The strings of a list whose items stand in straight quotation marks.

    Raises:
        RuleError: NameError where one is a bare word, SyntaxError where anything else stands in it.
    """
    if not _KEYS.fullmatch(text := content.rstrip()):
        raise RuleError("SyntaxError", UNQUOTED)
    if any(bare for _, _, bare in _KEY.findall(text)):
        raise RuleError("NameError", UNQUOTED)
    return [double or single for double, single, _ in _KEY.findall(text)]
