"""Words of judges: those that are verdicts, and those that hedge or reverse one."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from steadfast.base.resources import facts
from steadfast.base.unicode import normalized

_FACTS = facts("judging/words.yaml")
Words = Mapping[str, int]  # verdicts, 1 or 0, by the words for them in lower case


def _yes_or_no(name: str) -> dict[str, int]:
    """The verdicts by word, from an entry with words for yes and for no."""
    return dict.fromkeys(_FACTS[name]["yes"], 1) | dict.fromkeys(_FACTS[name]["no"], 0)


def _negatable() -> dict[str, int]:
    """Words such as "met", each as it is affirmed and as it is negated."""
    words: dict[str, int] = {}
    for language in _FACTS["negated"].values():
        for word in language["words"]:
            for end in language["ends"]:
                words |= {f"{before}{word}{end}": 1 for before in language["affirmed"]}
                words |= {f"{before}{word}{end}": 0 for before in language["negated"]}
    return words


REQUESTED: Words = _yes_or_no("requested")  # the words that prompts request
TICKS: Words = _yes_or_no("ticks")
# What else is a verdict where it stands beside what it is about.
OTHERS: Words = {**_yes_or_no("others"), **_negatable(), **TICKS}
WORDS: Words = {**REQUESTED, **OTHERS}
WITH_NUMBERS: Words = {**WORDS, **_yes_or_no("figures")}  # where numbers are verdicts too
AMBIGUOUS = frozenset(_FACTS["ambiguous"])  # words that begin sentences which are no verdict


def vocabulary(numeric: bool) -> Words:
    """The verdicts by word, with numbers among the words or without."""
    return WITH_NUMBERS if numeric else WORDS


@cache
def pattern(numeric: bool = False) -> str:
    """A regular expression of any verdict, the longer ones first; for ``re.IGNORECASE``."""
    longest_first = sorted(vocabulary(numeric), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


@cache
def _endings(numeric: bool) -> tuple[str, ...]:
    """The words that do not end in another one: whatever ends in a word ends in these."""
    words = vocabulary(numeric)
    endings = []
    for word in words:
        if not any(word[start:] in words for start in range(1, len(word))):
            endings.append(word)
    return tuple(endings)


def ends_in_verdict(line: str, numeric: bool = False) -> bool:
    """Whether the last word of a line may be a verdict: a quick look before a thorough one.

    >>> ends_in_verdict("1. The tone: YES."), ends_in_verdict("Yes, it does so")
    (True, False)
    """
    return line.rstrip(" \t.,;!)]}|\"'").casefold().endswith(_endings(numeric))


_EXPLAINED = re.compile(r"(.{1,20}?)\s*\((.{1,20})\)")  # "yes (satisfied)"


def verdict(text: str, numeric: bool = False) -> int | None:
    """The verdict that a text is, with a tick that says the same or without.

    >>> verdict("Not met."), verdict("✅ 满足"), verdict("❌ Yes"), verdict("partly")
    (0, 1, None, None)
    >>> verdict("✅是"), verdict("否❌")
    (1, 0)
    """
    words = vocabulary(numeric)
    bare = text.strip(" \t.\"'*!").casefold()
    # Of a word that is unknown the verdict is None, which is not -1.
    match = _EXPLAINED.fullmatch(bare) if bare.endswith(")") else None
    if match and words.get(match[1]) == words.get(match[2], -1):
        return words[match[1]]
    if bare[:1] in TICKS and len(bare) > 1:  # to the end, where the next lines look
        bare = f"{bare[1:].strip()} {bare[0]}"
    if bare[-1:] in TICKS and len(bare) > 1:
        value = words.get(bare[:-1].strip())
        return value if value == TICKS[bare[-1]] else None
    return words.get(bare)


@cache
def _one_of(name: str) -> re.Pattern[str]:
    listed = _FACTS[name]
    return re.compile("|".join(listed if isinstance(listed, list) else [listed]), re.I | re.M)


def is_negative(label: str) -> bool:
    """Whether verdicts of this name say what is not satisfied.

    >>> is_negative("Violations"), is_negative("是否违反"), is_negative("Pass/fail")
    (True, True, False)
    """
    return bool(_one_of("negative").search(label))


def is_disclaimed(label: str) -> bool:
    """Whether the words before verdicts leave open whose they are, or whether they are claimed."""
    return any(_one_of(name).search(label) for name in ("no_claim", "quoting"))


def introduces_another(line: str) -> bool:
    """Whether a line says that a verdict below it is somebody else's, or on another question.

    >>> introduces_another("Another judge answered:")
    True
    >>> introduces_another("Does it violate the requirement?")
    True
    >>> introduces_another("This does not suffice, so I conclude:")
    False
    >>> introduces_another("Does it lack a title?")
    False
    """
    line = line.rstrip()
    introduces = line.endswith(":") and _one_of("quoting").search(line)
    return bool(introduces or (line.endswith("?") and _one_of("reversing").search(line)))


def is_hedged(sentence: str) -> bool:
    """Whether a sentence hedges, doubts or restricts its verdict."""
    return any(_one_of(name).search(sentence) for name in ("hedge", "doubt", "reservation"))


def takes_back(following: str) -> bool:
    """Whether the words behind verdicts take one back, or may do so.

    What is named an explanation may speak of "but" and "if", as reasons do.

    >>> takes_back("However, the last is met in part.")
    True
    >>> takes_back("Reasons: it is long, but fine")
    False
    """
    text = _one_of("polite").sub("", following).strip(" \t\r\n*#>-.,;}]")
    if _one_of("doubt").search(text):
        return True
    reservation = _one_of("reservation")
    if _one_of("explanation").match(text):
        return any(reservation.match(line.strip(" \t>*-")) for line in text.splitlines())
    return bool(reservation.search(text))


UNIT = _FACTS["unit"]
IDENTIFIER = re.compile(f"{_FACTS['identifier']}|{UNIT}", re.IGNORECASE)
LABEL = "".join(_FACTS["label"].split("\n"))
ORDINALS: Mapping[str, int] = _FACTS["ordinals"]
_CHINESE: str = _FACTS["chinese_numbers"]
NUMERAL = rf"(?:\d{{1,2}}|[{_CHINESE}])"
_ROMAN = ("i", "ii", "iii", "iv", "v")


def number(numeral: str) -> int:
    """The number of a numeral, Arabic, Chinese or Roman, or of a letter.

    >>> number("12"), number("三"), number("ii"), number("b")
    (12, 3, 2, 2)
    """
    if numeral.isdecimal():
        return int(numeral)
    if numeral in _CHINESE:
        return _CHINESE.index(numeral) + 1
    roman = numeral.casefold()
    return _ROMAN.index(roman) + 1 if roman in _ROMAN else ord(roman[0]) - ord("a") + 1


_FENCE = re.compile(r"^[ \t>]*(?:```|~~~).*$", re.MULTILINE)
_TYPESET = re.compile(r"\\++(?:boxed|text|textbf|mathrm)[ \t]*\{([^{}]*)\}")
_NUMBERED_TAG = re.compile(r'<\w{1,20}\s+\w{1,10}="(\d{1,2})"\s*>')
_TAG = re.compile(r"</?[^\W\d]\w{0,20}>")
_CELLS = re.compile(r"</t[dh]>\s*<t[dh]>")
_CIRCLED = {ord("①") + index: f"({index + 1}) " for index in range(20)}
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "「": '"', "」": '"'})
_MARKS = str.maketrans(
    {"‘": "'", "’": "'", "、": ",", "。": ".", "【": "[", "】": "]"}
    # Without regard to case a pattern takes these two for an i, but str.casefold does not.
    | {"ı": "i", "İ": "I"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufe0f\ufeff`$", "")
)


def plain(text: str) -> str:
    """A text without what changes no meaning: bold type, fences, boxes, odd characters."""
    text = text.replace("\N{FULLWIDTH QUOTATION MARK}", "“")  # or it would end a JSON string
    text = text.translate(_CIRCLED)  # a circled 1 is 1 by its normal form
    text = _FENCE.sub("", normalized(text, "NFKC").translate(_MARKS))
    for _ in range(2):  # one within another
        text = _TYPESET.sub(r"\1", text)
    text = _CELLS.sub(" | ", text)
    text = _TAG.sub("", _NUMBERED_TAG.sub(r"\1: ", text))
    text = text.replace("**", "").replace("__", "")
    return text if '"' in text else text.translate(_QUOTES)  # some within others are what is said


def without_blanks(text: str) -> str:
    """A text without blanks and line ends, in lower case.

    >>> without_blanks("A \\n b")
    'ab'
    """
    return "".join(text.split()).casefold()


LEADING = " \t#>*-•+"


def lines(text: str) -> Iterator[tuple[str, int]]:
    """Lines without marks at both ends, each with the offset behind it.

    >>> list(lines("# a\\n\\n - b\\n"))
    [('a', 4), ('b', 10)]
    """
    end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if bare := line.strip().lstrip(LEADING).strip():
            yield bare, end


def squeezed_lines(text: str) -> frozenset[str]:
    """The lines of an answer, to recognise those that a judge repeats."""
    return frozenset(without_blanks(line) for line, _ in lines(plain(text)))
