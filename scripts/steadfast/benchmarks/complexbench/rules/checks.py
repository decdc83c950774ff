"""What rules require of one text or of several, whichever mode reads them."""

import json
import string
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from steadfast.benchmarks.complexbench.facts import normalised

# What the punctuation rules take for punctuation.
PUNCTUATION = frozenset(normalised(string.punctuation))
# The verdict of a rule that decides nothing, as the released code writes it.
UNDECIDED: Literal[2] = 2
Verdict = bool | Literal[2]
# Whether a text has what a rule names.
Check = Callable[[str], bool]
# Whether a number lies in a range.
Limits = Callable[[int], bool]


class RuleError(ValueError):
    """A rule that cannot be read; ``name`` is the exception that the released code ends with."""

    def __init__(self, name: str, reason: str):
        super().__init__(reason)
        self.name = name


def has_all(words: Collection[str]) -> Check:
    """Returns the check whether all of the words stand in a text."""
    return lambda text: all(word in text for word in words)


def has_any(words: Collection[str]) -> Check:
    """Returns the check whether any of the words stands in a text."""
    return lambda text: any(word in text for word in words)


def has_some(words: Collection[str], within: Limits) -> Check:
    """Whether a text has at least the required number of words; one listed twice counts twice."""
    return lambda text: within(sum(word in text for word in words))


def starts_with(beginning: str) -> Check:
    """Returns the check whether a text starts so."""
    return lambda text: text.startswith(beginning)


def ends_with(ending: str) -> Check:
    """Returns the check of a text's end, apart from a final full stop or question mark."""
    return lambda text: text.endswith((ending, f"{ending}。", f"{ending}？"))


def only_punctuation(allowed: Iterable[str]) -> Check:
    """Returns the check whether a text has no other punctuation than what is allowed."""
    forbidden = PUNCTUATION.difference(allowed)
    return lambda text: forbidden.isdisjoint(text)


def starts_in_turn(segments: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether there are as many texts as beginnings and each starts with its own, or is empty."""
    if len(segments) != len(beginnings):
        return False
    pairs = zip(segments, beginnings, strict=True)
    return all(not segment or segment.startswith(beginning) for segment, beginning in pairs)


def has_keys(value: object, keys: Collection[object]) -> bool:
    """Returns whether a value is an object with these keys and no others; "" is no key.

    Without required keys any object will do; no object has a key that is no text.
    """
    named_keys = [key for key in keys if key != ""]
    if not isinstance(value, dict) or (named_keys and len(value) != len(named_keys)):
        return False
    return all(isinstance(key, str) and key in value for key in named_keys)


def first_balanced_braces(text: str) -> str | None:
    """Returns the first ``{…}`` whose braces balance; None without one.

    As released, a brace within a string counts, and one that closes nothing takes the next one
    that opens with it: the count falls below 0, where no object begins.
    """
    depth = 0
    for position, char in enumerate(text):
        if char == "{":
            if not depth:
                start = position
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return text[start : position + 1]
    return None


def parsed_json(text: str | None, constants: bool) -> object:
    """Returns the value of a JSON text; None where it is none, or nested too deeply to read."""
    if text is None:
        return None
    try:
        return json.loads(text, parse_constant=None if constants else _refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
