"""Which of several options an answer settles on, and whether it says that there is nothing."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.rubric.text import core, folded, in_one_word, normal

_AROUND = 48  # characters before and after an option that may deny or weigh it
_SIGNS = r"[\s\"'`*_(\[{]*"
_CLOSES = re.compile(r"[\s]*$|[.,;:!?…。！，)\]}\"'”’»`*_—–]|\s[—–-]")
_NOTHING = re.compile(r"[\W_]*")


class Mention(NamedTuple):
    """An option as a word of an answer, and where it stands."""

    option: str
    start: int
    end: int
    closed: bool  # whether a clause may end behind it


def chosen_option(text: str, options: list[str]) -> str | None:
    """Returns the option that an answer settles on; None if it names none, or several alike.

    Denied and merely weighed options are not chosen; after a correction the last option counts.
    Case matters only between options that differ in nothing else. Options are ``normal`` and
    different.
    """
    text = normal(text)
    if text in options:
        return text
    mentioned = _maintained(text, mentions(text, options))
    firm = [m for m in mentioned if not _ends_with("weighs", text, m.start)]
    # Of several options, those at the end of a clause are answers rather than talk.
    firm = [mention for mention in firm if mention.closed] or firm
    named = options_of(firm or mentioned)
    if len(named) == 1:
        return named.pop()
    return _last_word(text, firm) if firm else None


def options_of(mentioned: Iterable[Mention]) -> set[str]:
    """Returns the options that are mentioned."""
    return {mention.option for mention in mentioned}


def mentions(text: str, options: list[str]) -> list[Mention]:
    """Returns where options stand in a text as words, in their case or at a clause's end."""
    alike = len(set(map(core, options))) < len(options)
    flags = re.NOFLAG if alike else re.IGNORECASE
    as_compared = str if alike else core
    pattern = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    by_text = {as_compared(option): option for option in options}
    mentioned = []
    for match in re.finditer(pattern, text, flags):
        start, end = match.span()
        if in_one_word(text[max(start - 1, 0) : start + 1]) or in_one_word(text[end - 1 : end + 1]):
            continue
        option = by_text.get(as_compared(match[0]))
        if option is None:
            continue
        mention = Mention(option, start, end, closed=bool(_CLOSES.match(text, end)))
        is_exact = match[0] == option  # in case too
        if mention.closed or (is_exact and not _followed_by("continues", text, mention)):
            mentioned.append(mention)
    return mentioned


def _maintained(text: str, mentioned: list[Mention]) -> list[Mention]:
    """Returns the mentions that are neither denied nor side by side with an alternative."""
    dropped = set()
    for mention in mentioned:
        is_denied = _ends_with("denies", text, mention.start)
        if is_denied or _followed_by("denied", text, mention):
            dropped.add(mention)
    for first, second in pairwise(mentioned):
        if first.option != second.option and second.start - first.end < _AROUND:
            between = folded(text[first.end : second.start])
            if _pattern("alternatives").fullmatch(between):
                dropped |= {first, second}
    return [mention for mention in mentioned if mention not in dropped]


def _followed_by(kind: str, text: str, mention: Mention) -> bool:
    return bool(_pattern(kind).match(folded(text[mention.end : mention.end + _AROUND])))


def _last_word(text: str, mentioned: list[Mention]) -> str | None:
    """Returns the option mentioned in the end, or else the one at the start."""
    last = mentioned[-1]
    first = mentioned[0]
    if _NOTHING.fullmatch(text, last.end) and _ends_with("settles", text, last.start):
        return last.option
    if first.closed and _NOTHING.fullmatch(text, 0, first.start):
        return first.option
    for mention in reversed(mentioned):
        if _ends_with("settles", text, mention.start):
            return mention.option
    return None


def _ends_with(kind: str, text: str, end: int) -> bool:
    return bool(_pattern(kind).search(folded(text[max(end - _AROUND, 0) : end]) + " "))


def says_none(text: str) -> bool:
    """Returns whether a text says that the target is absent, without giving up."""
    text = folded(text[: 16 * _AROUND])
    return bool(_pattern("absent").search(text)) and not _pattern("gives_up").search(text)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Returns the pattern, for ``folded`` text, of a kind of words that is in the data file."""
    words = facts("lifbench/answer_words.yaml")
    match kind:
        case "denies":
            links = rf"(?:\s+{_any(words['links'])})*"
            return re.compile(rf"(?:{_any(words['denies'])}|n't\b){links}{_SIGNS}$")
        case "denied":
            verbs = _any(words["denied"]["verbs"])
            verdicts = _any(words["denied"]["verdicts"])
            return re.compile(rf"[\s\"'`*_)\]]*{verbs}(?:\s+\w+)?\s+{verdicts}")
        case "settles":
            return re.compile(rf"(?:[:.!?=]|{_any(words['settles'])},?){_SIGNS}$")
        case "weighs":
            return re.compile(rf"{_any(words['weighs'])}{_SIGNS}$")
        case "alternatives":
            return re.compile(rf"[\s\"'`*_,(]*{_any(words['alternatives'])}{_SIGNS}")
        case _:
            return re.compile(_any(words[kind]))


def _any(words: Iterable[str]) -> str:
    """Returns a pattern for any of the words, as words where their script has blanks."""
    return rf"(?<![a-zà-ÿа-я])(?:{'|'.join(map(re.escape, words))})(?![a-zà-ÿа-я])"
