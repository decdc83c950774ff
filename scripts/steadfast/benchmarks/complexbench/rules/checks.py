"""What rules ask of one text or of several, whichever mode reads them."""

from collections.abc import Callable, Collection, Iterable, Sequence

from steadfast.benchmarks.complexbench.rules.text import PUNCTUATION

Check = Callable[[str], bool]
"""Whether a text has what a rule names."""
Limits = Callable[[int], bool]
"""Whether a number lies in a range."""


def has_all(words: Collection[str]) -> Check:
    """Whether all of the words stand in a text."""
    return lambda text: all(word in text for word in words)


def has_any(words: Collection[str]) -> Check:
    """Whether any of the words stands in a text."""
    return lambda text: any(word in text for word in words)


def has_some(words: Collection[str], within: Limits) -> Check:
    """Whether as many of the words as asked for stand in a text; one listed twice counts twice."""
    return lambda text: within(sum(word in text for word in words))


def starts(beginning: str) -> Check:
    """Whether a text starts so."""
    return lambda text: text.startswith(beginning)


def ends(ending: str) -> Check:
    """Whether a text ends so, or so with a full stop or question mark behind it."""
    return lambda text: text.endswith((ending, f"{ending}。", f"{ending}？"))


def has_length(within: Limits) -> Check:
    """Whether a text has as many characters as asked for."""
    return lambda text: within(len(text))


def has_words(within: Limits) -> Check:
    """Whether a text has as many words, between blanks, as asked for."""
    return lambda text: within(len(text.split()))


def only_punctuation(allowed: Iterable[str]) -> Check:
    """Whether a text has no other punctuation than what is allowed."""
    forbidden = PUNCTUATION.difference(allowed)
    return lambda text: forbidden.isdisjoint(text)


def starts_in_turn(segments: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether there are as many texts as beginnings and each starts with its own, or is empty."""
    return len(segments) == len(beginnings) and all(
        segment.startswith(beginning)
        for segment, beginning in zip(segments, beginnings, strict=True)
        if segment
    )
