"""The styles in which chat models write a verdict that is beyond doubt.

A judge is told one form, and many write another that says the same: in a fence, in bold type, as
JSON, as a table, before a last sentence. What is found here has one meaning; what may have two
(a verdict that is partly so, two lists that differ, one out of the answer) is not found.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from steadfast.base.unicode import composed
from steadfast.judging.reply import own_words

_ENGLISH, _CHINESE = {"yes": 1, "no": 0}, {"是": 1, "否": 0}
BY_LANGUAGE: Mapping[str, Mapping[str, int]] = {"en": _ENGLISH, "zh": {**_ENGLISH, **_CHINESE}}
"""What yes and no are where the judge is asked for YES or NO in a language."""
OWN_WORDS: Mapping[str, Mapping[str, int]] = {"en": _ENGLISH, "zh": _CHINESE}
"""What they are where it is asked for the language's own words."""
_TICKS = dict.fromkeys("✅✓✔", 1) | dict.fromkeys("❌✗✘✖", 0)
_HOLDS = ("satisfied", "met", "满足", "符合")
_FAILS = ("not satisfied", "unsatisfied", "not met", "unmet", "不满足", "未满足", "不符合")
OF_ITEMS: Mapping[str, int] = _TICKS | dict.fromkeys(_HOLDS, 1) | dict.fromkeys(_FAILS, 0)
"""What else is a verdict where it stands beside what it is about."""
FIGURES = {"1": 1, "0": 0, **_ENGLISH, **_CHINESE, **OF_ITEMS}
Words = Mapping[str, int]

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~).*$", re.MULTILINE)
_TYPESET = re.compile(r"\\++(?:boxed|text|textbf|mathrm)[ \t]*\{([^{}]*)\}")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "「": '"', "」": '"'})
_MARKS = str.maketrans(
    {"‘": "'", "’": "'", "、": ",", "。": "."}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufe0f\ufeff`$", "")
)
_LEADING = " \t#>*-•+"
_NUMBER = re.compile(r"\(?(\d{1,2})[.):,](?!\d)\s*|#(\d{1,2})\s*[.:-]?\s*")
_ITEM = re.compile(
    r"(?:(?:constraint|requirement|condition|item|level|step|约束|要求|条件|第)\s*#?)?"
    r"\(?(\d{1,2})\)?\s*[条个项]?\s*[.:)-](?!\d)\s*(.*)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:.{0,120}[\s])?(?:is|are|为|:|=)\s*|.{0,120}[:=]\s*", re.IGNORECASE)
_NO_CLAIM = re.compile(
    r"\b(?:not|n't|never|instead|example|e\.g|format|form|such as|like|would|should|could|if|or"
    r"|other|another|previous|previously|earlier)\b|n't|不|如|格式|若|或|例|另|别的|他人|之前|上一",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"violat|fail|unmet|broken|breach|违反|违背|未满足|不满足|不符合", re.IGNORECASE
)
"""In what names verdicts: yes says there that something is not satisfied."""
_NAME = 24
"""Characters of a key that names verdicts, at most; longer ones are what they are about."""
_CHANGED = re.compile(r"\s*(?:->|=>|→|⇒|改为)")
"""Behind a list, which another one replaces."""
_ANY_LIST = re.compile(r"\[[^\[\]\n]*\]")
_POLITE = re.compile(
    r"let me know if[^.\n]*|if you (?:need|have|want|would like|wish)[^.\n]*"
    r"|如有[^.\n]*|如果(?:您|你)?需要[^.\n]*",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:part(?:ly|ial|ially)|maybe|perhaps|possibly|unclear|unsure|but|however|though|although"
    r"|except|unless|if|actually|wait|correct(?:ion|ed)|instead|rather|reconsider\w*|wrong"
    r"|mistake\w*|scratch|hmm|might|changed my mind|second thought|look(?:ing)? again|disagree\w*"
    r"|revis\w*|on reflection)\b|部分|或|但|不过|更正|修正|改为|除了|除非|可能|若|如果|不对|错"
    r"|其实|再看|重新|不同意|也许",
    re.IGNORECASE,
)
_MEMBER = re.compile(r'"[^"]*"\s*:')  # of a JSON object over several lines
_LONGEST = 40
"""Characters at the end of a line in which its verdict stands."""
_LINE = 200
"""Characters of a line that is nothing but verdicts, at most."""


class VerdictClaim(NamedTuple):
    """Verdicts found at one place of a reply."""

    verdicts: tuple[int, ...]
    """None where they are out of order, or stand in the answer too: so all is in doubt."""
    labels: tuple[str, ...]
    """What each verdict is said to be about; empty where that is not said."""
    end: int
    """The place behind it."""
    soft: bool = False
    """Whether it is not in the words asked for, so that with another number it may be no claim."""


def plain(text: str) -> str:
    """Returns a text without what changes no meaning: bold type, fences, boxes, odd characters."""
    text = text.replace("\N{FULLWIDTH QUOTATION MARK}", "“")  # or it would end a JSON string
    text = _FENCE.sub("", composed(text, "NFKC").translate(_MARKS))
    for _ in range(2):  # one within another
        text = _TYPESET.sub(r"\1", text)
    text = text.replace("**", "").replace("__", "")
    return text if '"' in text else text.translate(_QUOTES)  # some within others are what is said


def squeezed(text: str) -> str:
    """Returns a text without blanks and line ends."""
    return "".join(text.split())


def agreed(
    reply: str,
    answer: str,
    count: int,
    forms: Iterable[Callable[[str], Iterable[VerdictClaim]]],
    about: Callable[[VerdictClaim], bool] = lambda _: True,
) -> list[int] | None:
    """Returns the one list of verdicts that a reply gives in some forms; None where it gives none.

    None also where two differ, where one has another number of verdicts, where what stands behind
    the last casts a doubt on it, or where it stands in the answer too.

    Args:
        reply: a judge's.
        answer: that it is about.
        count: of verdicts wanted.
        forms: each yields the claims of a text that is ``plain``.
        about: whether a claim's labels are those wanted.
    """
    own = plain(own_words(reply, answer))
    claims = [claim for form in forms for claim in form(own)]
    claims = [claim for claim in claims if not claim.soft or len(claim.verdicts) == count] or claims
    if not claims or len({claim.verdicts for claim in claims}) > 1:
        return None
    if any(len(claim.verdicts) != count or not about(claim) for claim in claims):
        return None
    end = max(claim.end for claim in claims)
    return None if _DOUBT.search(_POLITE.sub("", own[end:])) else list(claims[0].verdicts)


def lists(words: Words, answer: str, text: str) -> Iterator[VerdictClaim]:
    """Lists in square brackets, in lines of their own or behind a label; quotes at will."""
    word = _one_of(words)
    quoted = rf"""(?:"{word}"|'{word}'|{word})"""
    form = re.compile(rf"\[\s*+{quoted}(?:\s*+,\s*+{quoted})*+\s*+,?+\s*+\]", re.IGNORECASE)
    element = re.compile(word, re.IGNORECASE)
    given = squeezed(plain(answer)).casefold()
    for found in form.finditer(text):
        lead = _lead(text, found.start())
        after = text[found.end() : found.end() + 1]
        if _turned(text, found):
            yield VerdictClaim((), (), found.end())
        elif (
            _is_label(lead)
            and after in {"", "\n", " ", ".", ",", ";", "!", "}", "\r", "\t", '"'}
            and not text[found.end() :].lstrip(" \t").startswith(("*", "+", "[", "/"))
        ):
            values = tuple(words[name.casefold()] for name in element.findall(found[0]))
            repeated = squeezed(found[0]).casefold() in given
            yield VerdictClaim(() if repeated else values, (), found.end())


def turned(text: str) -> bool:
    """Whether a list in a text says what is violated, or is replaced by what follows it."""
    return any(_turned(text, found) for found in _ANY_LIST.finditer(text))


def _turned(text: str, found: re.Match[str]) -> bool:
    changed = _CHANGED.match(text, found.end())
    return bool(changed or _NEGATIVE.search(_lead(text, found.start())))


def items(words: Words, answer: str, text: str) -> Iterator[VerdictClaim]:
    """Numbered lines or rows of a table, a verdict at an end of each; together one claim.

    Beside its number a verdict may also be a tick, or what ``OF_ITEMS`` has, or stand before its
    reason. Such a claim is soft, and none where numbers are missing.
    """
    ending, wide = _ending(words), {**words, **OF_ITEMS}
    soft_ending, beginning = _ending(wide), _beginning(wide)
    given = _lines_of(answer)
    numbers, verdicts, end, soft = [], [], 0, False
    for line, stop in lines(text):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if "|" in line else []
        if cells:
            number, rest = cells[0].rstrip(".:)"), cells[-1].strip(" .\"'").casefold()
            verdict, other = words.get(rest), _whole(rest, wide)
        else:
            found = _ITEM.fullmatch(line)
            number, rest = (found[1], found[2]) if found else ("", "")
            verdict, other = ending(rest), soft_ending(rest)
            other = beginning(rest) if other is None else other
        if verdict is None:
            verdict, soft = other, soft or other is not None
        if verdict is not None:
            numbers.append("?" if squeezed(line).casefold() in given else number)
            verdicts.append(verdict)
            end = stop
    wanted = [str(place) for place in range(1, len(numbers) + 1)]
    plain_rows = not any(number.isdigit() or number == "?" for number in numbers)
    if numbers and (numbers == wanted or plain_rows):
        yield VerdictClaim(tuple(verdicts), (), end, soft)
    elif numbers and not (soft and "?" not in numbers):
        yield VerdictClaim((), (), end)  # out of order, or out of the answer


def named(words: Words, labels: str, answer: str, text: str) -> Iterator[VerdictClaim]:
    """Lines that are verdicts, alone or behind one of the labels; such lines in a row are one."""
    word = _one_of(words)
    label = rf"(?:(?:my|the)\s+)?(?:final\s+|最终)?(?:{labels})(?:\s+is|为)?\s*[:=|]?\s*"
    form = re.compile(rf"({label})?[(']*({word}(?:'?\s*,\s*'?{word})*)[)']*,?\s*[.!]?", re.I)
    element = re.compile(word, re.IGNORECASE)
    given = _lines_of(answer)
    row: list[int] = []
    end = 0
    for line, stop in lines(text):
        whole = len(line) < _LINE and not _MEMBER.match(line)
        short = line.strip("|{} ").replace('"', "") if whole else ""
        found = form.fullmatch(short)
        if found and found[1] and found[1][-1].isalpha() and not found[1].isascii():
            found = None  # "答案是" and no more: the word is no verdict
        if row and not found:
            yield VerdictClaim(tuple(row), (), end)
            row = []
        if found and squeezed(line).casefold() in given:
            yield VerdictClaim((), (), stop)
        elif found:
            row += [words[name.casefold()] for name in element.findall(found[2])]
            end = stop
    if row:
        yield VerdictClaim(tuple(row), (), end)


_SINGLE = {
    "en": (
        r"(?:(?:my |the )?(?:final )?(?:answer|verdict|conclusion|result|judge?ment)(?: is)?"
        r"\s*(?:[:=]|\s)\s*|(?:the |this )?(?:answer|response) )?",
        "no|false|incorrect|wrong|fail(?:ed|s)?|not satisfied|unsatisfied|not met|unmet"
        "|it (?:does not|doesn't|is not|isn't)",
        "yes|true|correct|right|pass(?:ed|es)?|satisfied|met|it does|it is",
    ),
    "zh": (
        r"(?:(?:最终)?(?:答案|结论|判断(?:结果)?|判定(?:结果)?|结果|回答|评估结果)(?:是|为)?"
        r"\s*[:=]\s*|[该此这]个?(?:回答|答案|回复)(?!是))?",
        "否|不对|不正确|错误|[未不](?:通过|成立)|[未不](?:满足|符合)(?:要求|条件)?",
        "是的?|对|正确|通过|成立|(?:满足|符合)(?:了?要求|条件)?",
    ),
}
"""Of one verdict in a language: what precedes it, and the words for no and for yes."""


@cache
def _single_forms(language: str) -> list[re.Pattern[str]]:
    label, *words = _SINGLE[language]
    return [
        re.compile(rf"{label}[\[('\"【]*(?:{of})(?:\s*,\s*(?:{of}))?[\])'\"】]*\s*[.!]?", re.I)
        for of in words
    ]


def single(language: str, answer: str, text: str) -> Iterator[VerdictClaim]:
    """Lines that are one verdict in a language's common words, alone or behind a label."""
    given = _lines_of(answer)
    for line, stop in lines(text):
        short = line.strip("|{} ") if len(line) < _LONGEST else ""
        found = [bool(form.fullmatch(short)) for form in _single_forms(language)]
        if any(found):
            repeated = squeezed(line).casefold() in given
            yield VerdictClaim(() if repeated else (int(found[1]),), (), stop)


def objects(words: Words, answer: str, text: str) -> Iterator[VerdictClaim]:
    """The one JSON value of a reply: a list or an object with a verdict for each thing wanted."""
    given = squeezed(plain(answer)).casefold()
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return
    if _NO_CLAIM.search(_lead(text, start)):
        return
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
        pairs = list(_pairs(value, words))
    except (ValueError, RecursionError):
        return
    if pairs:
        labels, verdicts = zip(*pairs, strict=True)
        numbers = [int(label) for label in labels if label.isdecimal()]
        quoted = squeezed(text[start:end]).casefold() in given
        more = any(mark in text[end:] for mark in "{[")
        if quoted or more or numbers != sorted(set(numbers)):
            yield VerdictClaim((), (), end)
        else:
            yield VerdictClaim(verdicts, labels if all(labels) else (), end)


def _pairs(value: Any, words: Words) -> Iterator[tuple[str, int]]:
    """What a JSON value says of each thing: its name, if it has one, and the verdict.

    Raises:
        ValueError: it says what is violated.
    """
    if isinstance(value, dict):
        if any(len(key) < _NAME and _NEGATIVE.search(key) for key in value):
            raise ValueError("verdicts of the other sense")
        inner = [part for part in value.values() if isinstance(part, list | dict)]
        if len(inner) == 1:
            yield from _pairs(inner[0], words)
            return
        said = [v for part in value.values() if (v := _verdict(part, words)) is not None]
        if len(said) == 1:  # beside reasons
            yield "", said[0]
            return
    listed = list(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    found = []
    for place, (name, one) in enumerate(listed, start=1):
        if isinstance(one, dict):
            parts = list(one.values())
            if len(parts) > 1 and str(parts[0]) == str(place):
                del parts[0]  # the number of the thing
            verdicts = [v for part in parts if (v := _verdict(part, words)) is not None]
            texts = [part for part in parts if isinstance(part, str) and len(part) > 1]
            name = next((text for text in texts if _verdict(text, words) is None), "")
            verdict = verdicts[0] if len(verdicts) == 1 else None
        else:
            verdict = _verdict(one, words)
        if verdict is None:
            return
        found.append((name, verdict))
    yield from found


def _verdict(value: Any, words: Words) -> int | None:
    if isinstance(value, bool):
        return int(value)
    return words.get(str(value).strip(" .").casefold()) if isinstance(value, str | int) else None


def lines(text: str) -> Iterator[tuple[str, int]]:
    """Lines without marks at both ends, each with the place behind it.

    >>> list(lines("# a\\n\\n - b\\n"))
    [('a', 4), ('b', 10)]
    """
    end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if bare := line.strip().lstrip(_LEADING).strip():
            yield bare, end


def _lines_of(answer: str) -> frozenset[str]:
    return frozenset(squeezed(line).casefold() for line, _ in lines(plain(answer)))


def _lead(text: str, place: int) -> str:
    """What precedes a place of a text on its line, after the line before that ends in a colon."""
    start = text.rfind("\n", 0, place) + 1
    before = text[:start].rstrip().rpartition("\n")[2]
    return f"{before} {text[start:place]}" if before.endswith(":") else text[start:place]


def _is_label(lead: str) -> bool:
    """Whether what stands before a list on its line says that it comes, or is nothing."""
    lead = lead.strip().lstrip(_LEADING + '{"').strip()
    if number := _NUMBER.match(lead):
        lead = lead[number.end() :]
    lead = lead.replace('"', "")
    return not lead or (
        len(lead) < 130 and bool(_LABEL.fullmatch(f"{lead} ")) and not _NO_CLAIM.search(lead)
    )


def _whole(text: str, words: Words) -> int | None:
    """The verdict that a cell is, with a tick that fits it or without."""
    said = words.get(text[:-1].strip()) if text[-1:] in _TICKS and len(text) > 1 else None
    return words.get(text) if said is None else said if said == _TICKS[text[-1]] else None


def _one_of(words: Words) -> str:
    return f"(?:{'|'.join(words)})"


def _ending(words: Words) -> Callable[[str], int | None]:
    """Reads the verdict that a line ends in, alone or behind a mark that parts it."""
    form = re.compile(
        # A dash that touches a number is its sign.
        rf"""(?:^|[:=(,—\t|]\s*|–\s+|\s(?:-+\s+|-*[→>]+\s*))["']?"""
        rf"""({_one_of(words)})["')]?\s*,?\s*[.]?$""",
        re.IGNORECASE,
    )

    def read(text: str) -> int | None:
        text = text[-_LONGEST:].rstrip()
        if text[-1:] in _TICKS and (said := read(text[:-1])) is not None:
            return said if said == _TICKS[text[-1]] else None
        found = form.search(text)
        return words[found[1].casefold()] if found else None

    return read


def _beginning(words: Words) -> Callable[[str], int | None]:
    """Reads the verdict that a line begins with, a mark and a reason behind it that fits it."""
    form = re.compile(
        rf"""["'(]?({_one_of(words)})["')]?\s*(?:[:,.;—–(]|-\s)\s*(\S.*)""", re.IGNORECASE
    )
    sides = [
        re.compile("|".join(rf"\b{w}\b" if w.isascii() else w for w in of), re.IGNORECASE)
        for of in (_longest_first(words, verdict) for verdict in (0, 1))
    ]

    def read(text: str) -> int | None:
        found = form.fullmatch(text) if len(text) < _LINE else None
        if not found:
            return None
        verdict = words[found[1].casefold()]
        reason = sides[verdict].sub("", found[2])
        fits = not _DOUBT.search(reason) and not sides[1 - verdict].search(reason)
        return verdict if fits else None

    return read


def _longest_first(words: Words, verdict: int) -> list[str]:
    return sorted((word for word, of in words.items() if of == verdict), key=len, reverse=True)
