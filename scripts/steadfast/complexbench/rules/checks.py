"""What rules ask of one text or of several, whichever mode reads them."""

from collections.abc import Callable, Collection, Iterable, Sequence

from steadfast.complexbench.rules.text import PUNCTUATION, normalised, unquoted

Check = Callable[[str], bool]
STOPS = ("", "。", "？")
"""What may follow an ending that is asked for."""


def forms(check: Check, segment: str) -> bool:
    """Whether a text passes, with its quotation marks or without them."""
    return check(segment) or check(unquoted(segment))


def every(check: Check, segments: Iterable[str]) -> bool:
    """Whether each text that is not empty passes."""
    return all(check(segment) for segment in segments if segment)


def contains_all(text: str, words: Iterable[str]) -> bool:
    """Whether all of the words stand in a text."""
    return all(word in text for word in words)


def contains_any(text: str, words: Iterable[str]) -> bool:
    """Whether any of the words stands in a text."""
    return any(word in text for word in words)


def contained(text: str, words: Iterable[str]) -> int:
    """How many of the words stand in a text; a word listed twice counts twice."""
    return sum(word in text for word in words)


def ends_with(text: str, ending: str) -> bool:
    """Whether a text ends so, or so with a full stop or question mark behind it."""
    return text.endswith(tuple(ending + stop for stop in STOPS))


def only_punctuation(text: str, allowed: Iterable[str]) -> bool:
    """Whether a text has no other punctuation than what is allowed."""
    return not (PUNCTUATION - set(allowed)) & set(text)


def starts_in_turn(segments: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether there are as many texts as beginnings and each starts with its own.

    An empty text passes.
    """
    return len(segments) == len(beginnings) and all(
        segment.startswith(beginning)
        for segment, beginning in zip(segments, beginnings, strict=True)
        if segment
    )


def within(number: int, ends: tuple[float, float]) -> bool:
    """Whether a number lies in a range, both ends in it."""
    return ends[0] <= number <= ends[1]


def all_normalised(words: Collection[str]) -> list[str]:
    """The words in the punctuation that they are compared in."""
    return [normalised(word) for word in words]
