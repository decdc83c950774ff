"""The rules as the released code applies them, its accidents included.

A rule's kind is the first in a list whose name stands anywhere in it, even in a key word. Some
kinds compare the answer's text with its punctuation as it is, so that a key word with ASCII
punctuation, which is made Chinese, is never found.
"""

from collections.abc import Callable, Sequence

from steadfast.complexbench.rules import checks, parameters
from steadfast.complexbench.rules.objects import balanced, has_keys, parsed
from steadfast.complexbench.rules.outcome import UNDECIDED, Verdict
from steadfast.complexbench.rules.text import normalised, unquoted

Segments = Sequence[str]


def verdict(rule: str, segments: Segments) -> Verdict:
    """Whether the segments of an answer satisfy a rule.

    Args:
        rule: as the data has it.
        segments: the parts of the answer that it is about.

    Returns:
        True, False, or ``UNDECIDED`` for a rule of no known kind.

    Raises:
        RuleError: the rule's parameters do not fit its kind; its name is that of the released
            code's exception. Segments that decide by being empty are looked at first.
    """
    for names, empty, test in _EXTRACTED:
        if all(name in rule for name in names):
            # One empty segment is none; several empty ones are not.
            return empty if list(segments) in ([], [""]) else test(rule, segments)
    if "model" in rule or "each" in rule:
        return UNDECIDED
    text = segments[0] if segments else ""
    return _plain(rule, unquoted(text)) or _plain(rule, text)


def _plain(rule: str, text: str) -> Verdict:
    for names, excluded, void, test in _WHOLE:
        if all(name in rule for name in names) and not any(name in rule for name in excluded):
            return void if not text or "None" in text else test(rule, text)
    return UNDECIDED


def _words(rule: str, name: str, stripped: bool = True) -> list[str]:
    return checks.all_normalised(parameters.words(rule, name, stripped))


def _limits(rule: str, name: str) -> Callable[[int], bool]:
    return parameters.limits(parameters.words(rule, name))


def _counted(content: str, stripped: bool) -> Callable[[str], bool]:
    """Whether a text has as many of the words as a list's first two items say."""
    found = parameters.items(content, stripped)
    within, words = parameters.limits(found), checks.all_normalised(found[2:])
    return lambda text: within(checks.contained(text, words))


def _keyword_each(rule: str, segments: Segments) -> bool:
    words = _words(rule, "model_keyword_each")
    return checks.every(lambda s: checks.contains_all(normalised(s), words), segments)


def _keyword_num_forbidden_each(rule: str, segments: Segments) -> bool:
    forbidden = _words(rule, "model_forbidden_word_each", stripped=False)
    first_line = rule.partition("\n")[0]
    counted = _counted(parameters.bracketed(first_line, "model_keyword_num_each"), False)
    return checks.every(lambda s: counted(s) and not checks.contains_any(s, forbidden), segments)


def _keyword_num_each(rule: str, segments: Segments) -> bool:
    content = parameters.bracketed(rule, "model_keyword_num_each")
    return checks.every(_counted(content, False), segments)


def _keyword_num(rule: str, segments: Segments) -> bool:
    return _counted(parameters.bracketed(rule, "model_keyword_num"), True)(segments[0])


def _keyword(rule: str, segments: Segments) -> bool:
    return checks.contains_all(segments[0], _words(rule, "model_keyword"))


def _forbidden_each(rule: str, segments: Segments) -> bool:
    words = _words(rule, "model_forbidden_word_each")
    return checks.every(lambda s: not checks.contains_any(normalised(s), words), segments)


def _forbidden(rule: str, segments: Segments) -> bool:
    return not checks.contains_any(segments[0], _words(rule, "model_forbidden_word"))


def _number_each(rule: str, segments: Segments) -> bool:
    return _limits(rule, "model_number_each")(len(segments))


def _size(name: str, count: Callable[[str], int], each: bool) -> Callable[[str, Segments], bool]:
    """A test of lengths: of every segment, or of the first."""

    def test(rule: str, segments: Segments) -> bool:
        within = _limits(rule, name)

        def fits(segment: str) -> bool:
            return checks.forms(lambda text: within(count(text)), segment)

        return checks.every(fits, segments) if each else fits(segments[0])

    return test


def _word_count(text: str) -> int:
    return len(text.split())


def _starts_each(rule: str, segments: Segments) -> bool:
    beginning = normalised(parameters.after(rule, "model_startswith_each"))
    return checks.every(lambda s: normalised(s).startswith(beginning), segments)


def _starts_with_list(rule: str, segments: Segments) -> bool:
    beginnings = _words(rule, "model_starts_with_list_each")
    return checks.starts_in_turn(checks.all_normalised(segments), beginnings)


def _starts_ends(rule: str, segments: Segments) -> bool:
    texts = parameters.pair(rule, "model_startswith", "model_endswith")
    return _framed(normalised(segments[0]), *texts)


def _framed(text: str, beginning: str, ending: str) -> bool:
    return text.startswith(normalised(beginning)) and checks.ends_with(text, normalised(ending))


def _starts(name: str) -> Callable[[str, Segments], bool]:
    return lambda rule, segments: normalised(segments[0]).startswith(
        normalised(parameters.after(rule, name))
    )


def _ends(name: str) -> Callable[[str, Segments], bool]:
    return lambda rule, segments: checks.ends_with(
        normalised(segments[0]), normalised(parameters.after(rule, name))
    )


def _not(test: Callable[[str, Segments], bool]) -> Callable[[str, Segments], bool]:
    return lambda rule, segments: not test(rule, segments)


def _ends_each(rule: str, segments: Segments) -> bool:
    ending = normalised(parameters.after(rule, "model_endswith_each"))
    considered = segments[:-1] if len(segments) > 1 else segments  # the last may end otherwise
    return checks.every(
        lambda s: checks.forms(lambda text: checks.ends_with(text, ending), normalised(s)),
        considered,
    )


def _not_ends_each(rule: str, segments: Segments) -> bool:
    ending = normalised(parameters.after(rule, "model_not_endswith_each"))
    return checks.every(lambda s: not checks.ends_with(normalised(s), ending), segments)


def _punctuation_each(rule: str, segments: Segments) -> bool:
    allowed = _words(rule, "model_constraint_punc_each")
    return checks.every(
        lambda s: checks.forms(lambda text: checks.only_punctuation(text, allowed), normalised(s)),
        segments,
    )


def _punctuation(rule: str, segments: Segments) -> bool:
    allowed = _words(rule, "model_constraint_punc")
    return checks.only_punctuation(unquoted(segments[0]), allowed)


# Names that all stand in the rule, the verdict on an empty answer, the test.
_EXTRACTED: tuple[tuple[tuple[str, ...], bool, Callable[[str, Segments], bool]], ...] = (
    (("model_keyword_each",), False, _keyword_each),
    (
        ("model_keyword_num_each", "model_forbidden_word_each"),
        False,
        _keyword_num_forbidden_each,
    ),
    (("model_keyword_num_each",), False, _keyword_num_each),
    (("model_keyword_num",), False, _keyword_num),
    (("model_keyword",), False, _keyword),
    (("model_forbidden_word_each",), True, _forbidden_each),
    (("model_forbidden_word",), True, _forbidden),
    (("model_number_each",), False, _number_each),
    (("model_length_each",), False, _size("model_length_each", len, True)),
    (("model_length_word_each",), False, _size("model_length_word_each", _word_count, True)),
    (("model_length_word",), False, _size("model_length_word", _word_count, False)),
    (("model_length",), False, _size("model_length", len, False)),
    (("model_startswith_each",), False, _starts_each),
    (("model_starts_with_list_each",), False, _starts_with_list),
    (("model_startswith", "model_endswith"), False, _starts_ends),
    (("model_startswith",), False, _starts("model_startswith")),
    (("model_endswith_each",), False, _ends_each),
    (("model_endswith",), False, _ends("model_endswith")),
    (("model_constraint_punc_each",), False, _punctuation_each),
    (("model_constraint_punc",), False, _punctuation),
    (("model_not_startswith",), True, _not(_starts("model_not_startswith"))),
    (("model_not_endswith_each",), True, _not_ends_each),
    (("model_not_endswith",), True, _not(_ends("model_not_endswith"))),
)


def _plain_keyword_forbidden(rule: str, text: str) -> bool:
    words, forbidden = _words(rule, "keyword"), _words(rule, "forbidden_word")
    text = normalised(text)
    return checks.contains_all(text, words) and not checks.contains_any(text, forbidden)


def _plain_match(rule: str, text: str) -> bool:
    wanted = parameters.after(rule, "match")
    return normalised(text) in (wanted, f"{wanted}。", f"{wanted}.")


def _plain_size(name: str, count: Callable[[str], int]) -> Callable[[str, str], bool]:
    return lambda rule, text: _limits(rule, name)(count(text))


def _plain_json(rule: str, text: str) -> bool:
    keys = parameters.quoted_words(parameters.bracketed(rule.strip(), "Json"))
    return has_keys(parsed(balanced(text), constants=True), keys)


def _on_first(test: Callable[[str, Segments], bool]) -> Callable[[str, str], bool]:
    return lambda rule, text: test(rule, [text])


# Names that all stand in the rule, those of which none may, the verdict on a void text, the test.
_WHOLE: tuple[tuple[tuple[str, ...], tuple[str, ...], bool, Callable[[str, str], bool]], ...] = (
    (("keyword", "forbidden_word"), (), False, _plain_keyword_forbidden),
    (
        ("keyword",),
        ("keyword_num",),
        False,
        lambda rule, text: checks.contains_all(normalised(text), _words(rule, "keyword")),
    ),
    (("match",), (), False, _plain_match),
    (
        ("constraint_punc",),
        (),
        False,
        lambda rule, text: checks.only_punctuation(
            normalised(text), _words(rule, "constraint_punc")
        ),
    ),
    (
        ("forbidden_word",),
        (),
        True,
        lambda rule, text: (
            not checks.contains_any(normalised(text), _words(rule, "forbidden_word"))
        ),
    ),
    (
        ("startswith", "endswith"),
        (),
        False,
        lambda rule, text: _framed(
            normalised(text), *parameters.pair(rule, "startswith", "endswith")
        ),
    ),
    (("startswith",), (), False, _on_first(_starts("startswith"))),
    (("not endswith",), (), True, _on_first(_not(_ends("not endswith")))),
    (("endswith",), (), False, _on_first(_ends("endswith"))),
    (("length_word:",), (), False, _plain_size("length_word", _word_count)),
    (("length:",), (), False, _plain_size("length", len)),
    (("Json:",), (), False, _plain_json),
)
