"""What stands behind a rule's name: lists, ranges, texts. Parsed, never evaluated.

They are found where the released code's patterns find them, and errors carry the name of the
exception that it raises at the same place. To its patterns a rule ends before a last line break.
"""

from collections.abc import Callable, Sequence
from typing import Any

from steadfast.base.literals import is_expression, parse_literal
from steadfast.benchmarks.complexbench.rules.outcome import RuleError


def bracketed(rule: str, name: str, lines: bool = False, error: str = "IndexError") -> str:
    """The list that follows ``name:`` and ends the rule, in its brackets."""
    place = rule.removesuffix("\n")
    place = place if lines else place.rpartition("\n")[2]
    _, found, rest = place.partition(f"{name}:[")
    if not found or not rest.endswith("]"):
        raise RuleError(error, f"no list in brackets after {name!r} ends the rule")
    return f"[{rest}"


def bracketed_pair(rule: str, first: str, second: str) -> tuple[str, str]:
    """The lists in brackets that follow ``first:`` and, on the line after it, ``second:``."""
    _, found, rest = rule.removesuffix("\n").partition(f"{first}:[")
    begin, parted, end = rest.partition(f"]\n{second}:[")
    if not found or not parted or not end.endswith("]"):
        raise RuleError("AttributeError", f"no lists of {first!r} and, a line below, {second!r}")
    return f"[{begin}]", f"[{end}"


def items(listed: str, stripped: bool = True) -> list[str]:
    """What stands between a list's ASCII commas, its outer brackets aside."""
    found = listed.strip("[]").split(",")
    return [item.strip() for item in found] if stripped else found


def elements(listed: str) -> Sequence[Any]:
    """The elements of a list of Python literals."""
    ok, value = parse_literal(listed)
    if not ok:
        name = "NameError" if is_expression(listed) else "SyntaxError"
        raise RuleError(name, f"{listed[:40]!r} is no list of numbers or of words in quotes")
    return value


def limits(ends: Sequence[Any]) -> Callable[[int], bool]:
    """Whether a number lies in a range, both ends in it.

    Ends are looked at when a number is, the upper one only if the number reaches the lower.
    """

    def within(number: int) -> bool:
        try:
            return bool(ends[0] <= number) and bool(number <= ends[1])
        except (IndexError, TypeError) as error:
            raise RuleError(type(error).__name__, "a range needs two numbers") from None

    return within


def whole_limits(ends: Sequence[str]) -> Callable[[int], bool]:
    """Whether a number lies in a range of whole numbers, which are read at once."""
    try:
        return limits((int(ends[0]), int(ends[1])))
    except (IndexError, ValueError) as error:
        raise RuleError(type(error).__name__, "a range needs two whole numbers") from None


def after(rule: str, name: str, lines: bool = True) -> str:
    """The text that follows ``name:``, to the rule's end."""
    place = rule.removesuffix("\n")
    place = place if lines else place.rpartition("\n")[2]
    _, found, text = place.partition(f"{name}:")
    if not found:
        raise RuleError("IndexError", f"no text after {name!r}")
    return text


def pair(rule: str, first: str, second: str) -> tuple[str, str]:
    """The texts that follow ``first:`` and, on a later line, ``second:``."""
    _, found, rest = rule.removesuffix("\n").partition(f"{first}:")
    begin, parted, end = rest.partition(f"\n{second}:")
    if not found or not parted:
        raise RuleError("AttributeError", f"no {first!r} with {second!r} on a line below")
    return begin, end
