"""What stands behind a rule's name: lists, ranges, texts. Parsed, never evaluated.

Errors carry the name of the exception that the released code raises at the same place.
"""

import re

from steadfast.complexbench.rules.outcome import RuleError

_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{0,15})?")
_NAME = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r"\s*(?:\"([^\"\\\n]*)\"|'([^'\\\n]*)')\s*(?:,|$)")


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


def items(content: str, stripped: bool = True) -> list[str]:
    """The items of a list: what stands between its ASCII commas."""
    return [item.strip() if stripped else item for item in content.split(",")]


def words(rule: str, name: str, stripped: bool = True) -> list[str]:
    """The items of a rule's list."""
    return items(bracketed(rule, name), stripped)


def limits(numbers: list[str]) -> tuple[float, float]:
    """The two ends of a range.

    Raises:
        RuleError: IndexError where one is missing, NameError where a word stands for one,
            SyntaxError where anything else does.
    """
    if len(numbers) < 2:
        raise RuleError("IndexError", "a range needs two numbers")
    low, high = (_number(text.strip()) for text in numbers[:2])
    return low, high


def _number(text: str) -> float:
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
        RuleError: SyntaxError where anything else stands in it.
    """
    found, place, end = [], 0, len(content.rstrip())
    while place < end:
        item = _STRING.match(content, place)
        if not item:
            raise RuleError("SyntaxError", "the keys must stand in straight quotation marks")
        found.append(item[1] if item[1] is not None else item[2])
        place = item.end()
    return found
