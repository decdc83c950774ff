"""The rules as the released code applies them, its accidents included.

A rule's kind is the first in a list whose name stands anywhere in it, even in a key word. Some
kinds compare the answer's text with its punctuation as it is, so that a key word with ASCII
punctuation, which is made Chinese, is never found.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from steadfast.base.literals import is_expression, parse_literal
from steadfast.benchmarks.complexbench.facts import normalised
from steadfast.benchmarks.complexbench.replies import unquoted
from steadfast.benchmarks.complexbench.rules import checks
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED, Check, RuleError, Verdict

T = TypeVar("T")
Segments = Sequence[str]


class RuleKind(NamedTuple):
    """A kind of rule."""

    names: Sequence[str]  # that all stand in the rule
    absent: bool  # the verdict where there is nothing to look at
    test: Callable[[str, Segments], bool]  # of a rule and segments
    unless: str = ""  # a name that must not stand in the rule

    def fits(self, rule: str) -> bool:
        """Returns whether a rule is of this kind, unless an earlier one fits."""
        is_named = all(name in rule for name in self.names)
        return is_named and (not self.unless or self.unless not in rule)


def verdict(rule: str, segments: Segments) -> Verdict:
    """Returns whether the segments of an answer satisfy a rule; see ``scoring.verdict``."""
    for kind in _EXTRACTED:
        if kind.fits(rule):
            # One empty segment is none; several empty ones are not.
            return kind.absent if list(segments) in ([], [""]) else kind.test(rule, segments)
    if "model" in rule or "each" in rule:
        return UNDECIDED
    text = segments[0] if segments else ""
    return _plain(rule, _unquoted(text)) or _plain(rule, text)


def _plain(rule: str, text: str) -> Verdict:
    for kind in _PLAIN:
        if kind.fits(rule):
            return kind.absent if not text or "None" in text else kind.test(rule, [text])
    return UNDECIDED


def _unquoted(text: str) -> str:
    if text and not text.strip("\n"):
        raise RuleError("IndexError", "a text of nothing but line breaks has no quotation marks")
    return unquoted(text)


# The texts of a segment, one of which must pass; they are made in turn until one does.
_TEXTS: dict[str, Sequence[Callable[[str], str]]] = {
    "normal": [normalised],
    "normal, quoted or not": [lambda text: _unquoted(normalised(text)), normalised],
    "raw": [str],
    "raw, quoted or not": [str, _unquoted],
    "raw, unquoted or not": [_unquoted, str],
    "raw, not quoted": [_unquoted],
}


# A rule's parameters, behind its name: lists, ranges, texts; parsed, never evaluated. They are
# found where the released code's patterns find them, and errors carry the name of the exception
# that it raises there. To its patterns a rule ends before a last line break.


def _bracketed(rule: str, name: str, lines: bool = False, error: str = "IndexError") -> str:
    """Returns the list that follows ``name:`` and ends the rule, in its brackets."""
    searched = rule.removesuffix("\n")
    searched = searched if lines else searched.rpartition("\n")[2]
    _, opening, behind = searched.partition(f"{name}:[")
    if not opening or not behind.endswith("]"):
        raise RuleError(error, f"no list in brackets after {name!r} ends the rule")
    return f"[{behind}"


def _bracketed_pair(rule: str, first: str, second: str) -> tuple[str, str]:
    """The lists in brackets that follow ``first:`` and, on the line after it, ``second:``."""
    _, opening, behind = rule.removesuffix("\n").partition(f"{first}:[")
    first_list, separator, second_list = behind.partition(f"]\n{second}:[")
    if not opening or not separator or not second_list.endswith("]"):
        raise RuleError("AttributeError", f"no lists of {first!r} and, a line below, {second!r}")
    return f"[{first_list}]", f"[{second_list}"


def _items(listed: str, stripped: bool = True) -> list[str]:
    """Returns what stands between a list's ASCII commas, its outer brackets aside."""
    items = listed.strip("[]").split(",")
    return [item.strip() for item in items] if stripped else items


def _elements(listed: str) -> Sequence[Any]:
    ok, value = parse_literal(listed)
    if not ok:
        name = "NameError" if is_expression(listed) else "SyntaxError"
        raise RuleError(name, f"{listed[:40]!r} is no list of numbers or of words in quotes")
    literal: Sequence[Any] = value
    return literal


def _within(ends: Sequence[Any]) -> checks.Limits:
    """Returns whether a number lies in a range; ends are looked at when a number is."""

    def within(number: int) -> bool:
        try:
            return bool(ends[0] <= number) and bool(number <= ends[1])
        except (IndexError, TypeError) as error:
            raise RuleError(type(error).__name__, "a range needs two numbers") from None

    return within


def _whole_limits(ends: Sequence[str]) -> checks.Limits:
    """Returns whether a number lies in a range of whole numbers, which are read at once."""
    try:
        return _within((int(ends[0]), int(ends[1])))
    except (IndexError, ValueError) as error:
        raise RuleError(type(error).__name__, "a range needs two whole numbers") from None


def _after(rule: str, name: str, lines: bool = True) -> str:
    """Returns the text that follows ``name:``, to the rule's end."""
    searched = rule.removesuffix("\n")
    searched = searched if lines else searched.rpartition("\n")[2]
    _, mark, text = searched.partition(f"{name}:")
    if not mark:
        raise RuleError("IndexError", f"no text after {name!r}")
    return text


def _pair(rule: str, first: str, second: str) -> tuple[str, str]:
    """Returns the texts that follow ``first:`` and, on a later line, ``second:``."""
    _, mark, behind = rule.removesuffix("\n").partition(f"{first}:")
    first_text, separator, second_text = behind.partition(f"\n{second}:")
    if not mark or not separator:
        raise RuleError("AttributeError", f"no {first!r} with {second!r} on a line below")
    return first_text, second_text


def _normalised(texts: Iterable[str]) -> list[str]:
    return [normalised(text) for text in texts]


def _words(rule: str, name: str) -> list[str]:
    return _normalised(_items(_bracketed(rule, name)))


def _text(rule: str, name: str) -> str:
    return normalised(_after(rule, name))


def _limits(rule: str, name: str) -> checks.Limits:
    # Patterns of rules about the whole answer reach over lines.
    lines = not name.startswith("model_")
    return _within(_elements(_bracketed(rule, name, lines)))


# Makes a check of a rule and the name of its kind.
Read = Callable[[str, str], Check]


def _late(check: Callable[[T], Check], parameters: Callable[[str, str], T]) -> Read:
    """Returns a check whose parameters are read when a text is looked at, and then only."""
    return lambda rule, name: lambda text: check(parameters(rule, name))(text)


_all = _late(checks.has_all, _words)
_any = _late(checks.has_any, _words)
_starts = _late(checks.starts_with, _text)
_ends = _late(checks.ends_with, _text)
_punctuation = _late(checks.only_punctuation, _words)


def _length(rule: str, name: str) -> Check:
    within = _limits(rule, name)
    return lambda text: within(len(text))


def _size(rule: str, name: str) -> Check:
    within = _limits(rule, name)
    return lambda text: within(len(text.split()))


def _counted(items: Sequence[str]) -> Check:
    """Returns a count of words, its range before them."""
    return checks.has_some(_normalised(items[2:]), _whole_limits(items))


def _some(rule: str, name: str) -> Check:
    return _counted(_items(_bracketed(rule, name)))


def _some_each(rule: str, name: str) -> Check:
    listed = _bracketed(rule, name, lines=True, error="AttributeError")
    return _counted(_items(listed, stripped=False))


def _some_without(rule: str, counted: str, forbidden: str) -> Check:
    required, unwanted = _bracketed_pair(rule, counted, forbidden)
    enough = _counted(_items(required, stripped=False))
    banned = checks.has_any(_normalised(_items(unwanted, stripped=False)))
    return lambda text: enough(text) and not banned(text)


def _all_without(rule: str, required: str, forbidden: str) -> Check:
    enough = checks.has_all(_words(rule, required))
    banned = checks.has_any(_words(rule, forbidden))
    return lambda text: enough(text) and not banned(text)


def _frame(rule: str, first: str, second: str) -> Check:
    beginning, ending = _normalised(_pair(rule, first, second))
    return lambda text: checks.starts_with(beginning)(text) and checks.ends_with(ending)(text)


def _match(rule: str, name: str) -> Check:
    required = _after(rule, name, lines=False)
    return lambda text: text in (required, f"{required}。", f"{required}.")


def _object(rule: str, name: str) -> Check:
    keys = _elements(_bracketed(rule.strip(), name, lines=True))
    return lambda text: checks.has_keys(
        checks.parsed_json(checks.first_balanced_braces(text), constants=True), keys
    )


def _number(rule: str, segments: Segments) -> bool:
    return _limits(rule, "model_number_each")(len(segments))


def _starts_with_list(rule: str, segments: Segments) -> bool:
    beginnings = _words(rule, "model_starts_with_list_each")
    return checks.starts_in_turn(_normalised(segments), beginnings)


def _kind(
    names: str,
    read: Callable[..., Check],
    texts: str = "normal",
    absent: bool = False,
    unless: str = "",
) -> RuleKind:
    """Returns a kind that holds segments to ``read`` of the rule and its names, parted by +."""
    parts = names.split("+")

    def test(rule: str, segments: Segments) -> bool:
        passes = read(rule, *(name.rstrip(":") for name in parts))

        def kept(segment: str) -> bool:
            return any(passes(form(segment)) for form in _TEXTS[texts]) is not absent

        if parts[0] == "model_endswith_each" and len(segments) > 1:
            segments = segments[:-1]  # the last may end otherwise
        each = parts[0].endswith("_each")
        considered = [segment for segment in segments if segment] if each else segments[:1]
        # Each is looked at, whatever came before: an error in the last one counts.
        return False not in {kept(segment) for segment in considered}

    return RuleKind(parts, absent, test, unless)


# Kinds about segments that were copied out.
_EXTRACTED = (
    _kind("model_keyword_each", _all),
    _kind("model_keyword_num_each+model_forbidden_word_each", _some_without, "raw"),
    _kind("model_keyword_num_each", _some_each, "raw"),
    _kind("model_keyword_num", _some, "raw"),
    _kind("model_keyword", _all, "raw"),
    _kind("model_forbidden_word_each", _any, absent=True),
    _kind("model_forbidden_word", _any, "raw", absent=True),
    RuleKind(["model_number_each"], False, _number),
    _kind("model_length_each", _length, "raw, quoted or not"),
    _kind("model_length_word_each", _size, "raw, quoted or not"),
    _kind("model_length_word", _size, "raw, quoted or not"),
    _kind("model_length:", _length, "raw, unquoted or not"),
    _kind("model_startswith_each", _starts),
    RuleKind(["model_starts_with_list_each"], False, _starts_with_list),
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

# Kinds about the whole answer.
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
    _kind("Json", _object, "raw"),
)
