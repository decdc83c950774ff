"""The rules as the released code applies them, its accidents included.

A rule's kind is the first in a list whose name stands anywhere in it, even in a key word. Some
kinds compare the answer's text with its punctuation as it is, so that a key word with ASCII
punctuation, which is made Chinese, is never found.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from steadfast.complexbench.rules import checks, parameters
from steadfast.complexbench.rules.checks import Check
from steadfast.complexbench.rules.objects import balanced, has_keys, parsed
from steadfast.complexbench.rules.outcome import UNDECIDED, Verdict
from steadfast.complexbench.rules.text import all_normalised, normalised, unquoted

T = TypeVar("T")
Segments = Sequence[str]


class Kind(NamedTuple):
    """A kind of rule.

    Attributes:
        names: that all stand in the rule.
        absent: the verdict where there is nothing to look at.
        test: of a rule and segments.
        unless: a name that must not stand in the rule.
    """

    names: Sequence[str]
    absent: bool
    test: Callable[[str, Segments], bool]
    unless: str = ""

    def fits(self, rule: str) -> bool:
        """Whether a rule is of this kind, unless an earlier one fits."""
        return all(name in rule for name in self.names) and not (
            self.unless and self.unless in rule
        )


def verdict(rule: str, segments: Segments) -> Verdict:
    """Whether the segments of an answer satisfy a rule; see ``decide.verdict``.

    Raises:
        RuleError: the rule's parameters do not fit its kind; its name is that of the released
            code's exception. Segments that decide by being empty are looked at first.
    """
    for kind in _EXTRACTED:
        if kind.fits(rule):
            # One empty segment is none; several empty ones are not.
            return kind.absent if list(segments) in ([], [""]) else kind.test(rule, segments)
    if "model" in rule or "each" in rule:
        return UNDECIDED
    text = segments[0] if segments else ""
    return _plain(rule, unquoted(text)) or _plain(rule, text)


def _plain(rule: str, text: str) -> Verdict:
    for kind in _PLAIN:
        if kind.fits(rule):
            return kind.absent if not text or "None" in text else kind.test(rule, [text])
    return UNDECIDED


_TEXTS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "normal": lambda segment: (normalised(segment),),
    "normal, quoted or not": lambda segment: (normalised(segment), unquoted(normalised(segment))),
    "raw": lambda segment: (segment,),
    "raw, quoted or not": lambda segment: (segment, unquoted(segment)),
    "raw, not quoted": lambda segment: (unquoted(segment),),
}
"""The texts of a segment, one of which must pass."""


def _words(rule: str, name: str, stripped: bool = True) -> list[str]:
    return all_normalised(parameters.words(rule, name, stripped))


def _text(rule: str, name: str) -> str:
    return normalised(parameters.after(rule, name))


def _limits(rule: str, name: str) -> checks.Limits:
    return parameters.limits(parameters.words(rule, name))


def _of(check: Callable[[T], Check], read: Callable[[str, str], T]) -> Callable[[str, str], Check]:
    return lambda rule, name: check(read(rule, name))


_all, _any = _of(checks.has_all, _words), _of(checks.has_any, _words)
_starts, _ends = _of(checks.starts, _text), _of(checks.ends, _text)
_length, _size = _of(checks.has_length, _limits), _of(checks.has_words, _limits)
_punctuation = _of(checks.only_punctuation, _words)


def _some(rule: str, name: str) -> Check:
    """A count of words; those for each segment keep the blanks around them."""
    items = parameters.words(rule, name, stripped=not name.endswith("_each"))
    return checks.has_some(all_normalised(items[2:]), parameters.limits(items))


def _some_without(rule: str, counted: str, forbidden: str) -> Check:
    banned = checks.has_any(_words(rule, forbidden, stripped=False))
    enough = _some(rule.partition("\n")[0], counted)
    return lambda text: enough(text) and not banned(text)


def _all_without(rule: str, wanted: str, forbidden: str) -> Check:
    enough, banned = checks.has_all(_words(rule, wanted)), checks.has_any(_words(rule, forbidden))
    return lambda text: enough(text) and not banned(text)


def _frame(rule: str, first: str, second: str) -> Check:
    beginning, ending = all_normalised(parameters.pair(rule, first, second))
    return lambda text: checks.starts(beginning)(text) and checks.ends(ending)(text)


def _match(rule: str, name: str) -> Check:
    wanted = parameters.after(rule, name)
    return lambda text: text in (wanted, f"{wanted}。", f"{wanted}.")


def _object(rule: str, name: str) -> Check:
    keys = parameters.quoted_words(parameters.bracketed(rule.strip(), name))
    return lambda text: has_keys(parsed(balanced(text), constants=True), keys)


def _number(rule: str, segments: Segments) -> bool:
    return _limits(rule, "model_number_each")(len(segments))


def _starts_with_list(rule: str, segments: Segments) -> bool:
    beginnings = _words(rule, "model_starts_with_list_each")
    return checks.starts_in_turn(all_normalised(segments), beginnings)


def _kind(
    names: str,
    read: Callable[..., Check],
    texts: str = "normal",
    absent: bool = False,
    unless: str = "",
) -> Kind:
    """A kind that holds the texts of each segment, or of the first, to one check.

    The check is ``read`` of the rule and its names, which ``+`` parts; a colon is not part of one.
    """
    found = names.split("+")

    def test(rule: str, segments: Segments) -> bool:
        passes = read(rule, *(name.rstrip(":") for name in found))
        if found[0] == "model_endswith_each" and len(segments) > 1:
            segments = segments[:-1]  # the last may end otherwise
        each = found[0].endswith("_each")
        considered = [segment for segment in segments if segment] if each else segments[:1]
        return all(any(map(passes, _TEXTS[texts](one))) is not absent for one in considered)

    return Kind(found, absent, test, unless)


_EXTRACTED = (
    _kind("model_keyword_each", _all),
    _kind("model_keyword_num_each+model_forbidden_word_each", _some_without, "raw"),
    _kind("model_keyword_num_each", _some, "raw"),
    _kind("model_keyword_num", _some, "raw"),
    _kind("model_keyword", _all, "raw"),
    _kind("model_forbidden_word_each", _any, absent=True),
    _kind("model_forbidden_word", _any, "raw", absent=True),
    Kind(["model_number_each"], False, _number),
    _kind("model_length_each", _length, "raw, quoted or not"),
    _kind("model_length_word_each", _size, "raw, quoted or not"),
    _kind("model_length_word", _size, "raw, quoted or not"),
    _kind("model_length", _length, "raw, quoted or not"),
    _kind("model_startswith_each", _starts),
    Kind(["model_starts_with_list_each"], False, _starts_with_list),
    _kind("model_startswith+model_endswith", _frame),
    _kind("model_startswith", _starts),
    _kind("model_endswith_each", _ends, "normal, quoted or not"),
    _kind("model_endswith", _ends),
    _kind("model_constraint_punc_each", _punctuation, "normal, quoted or not"),
    _kind("model_constraint_punc", _punctuation, "raw, not quoted"),
    _kind("model_not_startswith", _starts, absent=True),
    _kind("model_not_endswith_each", _ends, absent=True),
    _kind("model_not_endswith", _ends, absent=True),
)
"""Kinds about segments that were copied out."""

_PLAIN = (
    _kind("keyword+forbidden_word", _all_without),
    _kind("keyword", _all, unless="keyword_num"),
    _kind("match", _match),
    _kind("constraint_punc", _punctuation),
    _kind("forbidden_word", _any, absent=True),
    _kind("startswith+endswith", _frame),
    _kind("startswith", _starts),
    _kind("not endswith", _ends, absent=True),
    _kind("endswith", _ends),
    _kind("length_word:", _size, "raw"),
    _kind("length:", _length, "raw"),
    _kind("Json:", _object, "raw"),
)
"""Kinds about the whole answer."""
