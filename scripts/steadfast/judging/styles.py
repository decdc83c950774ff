"""The styles in which chat models write an unambiguous verdict.

The prompt names one form, and many judges write another that says the same: in a fence, in bold
type, as JSON, as a table, before a last sentence. Only unambiguous replies are read: none with a
verdict that holds in part, with two lists that differ, or with a list out of the answer.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from steadfast.judging import words
from steadfast.judging.reply import own_strings
from steadfast.judging.words import REQUESTED, TICKS, WORDS, plain, without_blanks

_NUMBER = re.compile(r"\(?(\d{1,2})[.):,](?!\d)\s*|#(\d{1,2})\s*[.:-]?\s*")
_LABEL = re.compile(r"(?:.{0,120}[\s])?(?:is|are|为|是|:|=)\s*|.{0,120}[:=]\s*", re.IGNORECASE)
_NAME = 24  # characters of a key that names verdicts, at most; longer ones are what they are about
_CHANGED = re.compile(r"\s*(?:->|=>|→|⇒|改为)")  # behind a list, which another one replaces
_ANY_LIST = re.compile(r"\[[^\[\]\n]*\]")
_SENTENCE = 200  # characters of a line that gives one verdict, or a row of them, at most


class Verdict(NamedTuple):
    """A verdict, 1 or 0, and its item: by number, or by the judge's words."""

    value: int
    number: int | None = None
    about: tuple[str, ...] = ()  # texts that may name it; none where nothing is said


class Claim(NamedTuple):
    """Verdicts that stand together in a reply."""

    # Empty where the response contains them too, or their sense is reversed: all is in doubt.
    verdicts: tuple[Verdict, ...]
    end: int  # the offset behind it
    # Whether it is not in the requested words, so that with another number it may be no claim.
    soft: bool = False


Form = Callable[[str], Iterable[Claim]]
# Gives the index, from 0 on, of the item that a verdict is about; None where it names none.
ItemIndex = Callable[[Verdict], int | None]


def by_number(verdict: Verdict) -> int | None:
    """The index of the item that a verdict is about, by its number."""
    return None if verdict.number is None else verdict.number - 1


def agreed_verdicts(
    reply: str, answer: str, count: int, forms: Iterable[Form], item_index: ItemIndex = by_number
) -> list[int] | None:
    """The one list of verdicts on which all claims of a reply agree; None where there is none.

    None also where a list has another number of verdicts, where the text behind the last one casts
    a doubt on it, or where the response contains it too.

    Args:
        reply: of a judge.
        answer: the judged response.
        count: number of items.
        forms: each yields the claims in a text that is ``plain``.
        item_index: gives the index of a verdict's item, so that the order makes no difference.
    """
    own_text = plain(own_strings(reply, answer))
    claims = list(chain.from_iterable(form(own_text) for form in forms))
    # Soft ones of another number are left out, unless there are no others.
    claims = [claim for claim in claims if not claim.soft or len(claim.verdicts) == count] or claims
    claimed = [_in_order(claim.verdicts, count, item_index) for claim in claims]
    values = claimed[0] if claimed else None
    if values is None or any(other != values for other in claimed):
        return None
    following = own_text[max(claim.end for claim in claims) :]
    if words.takes_back(following) or _contradicted(values, following):
        return None
    return values


def _in_order(verdicts: Sequence[Verdict], count: int, item_index: ItemIndex) -> list[int] | None:
    """The verdicts by their items, if these are named; None unless each item has one verdict."""
    if len(verdicts) != count:
        return None
    indexes = [item_index(verdict) for verdict in verdicts]
    if indexes != [None] * count:
        by_index = dict(zip(indexes, verdicts, strict=True))
        # Each item once: one that is missing or named twice leaves all in doubt.
        if by_index.keys() != {*range(count)}:
            return None
        verdicts = [by_index[index] for index in range(count)]
    return [verdict.value for verdict in verdicts]


def _contradicted(values: Sequence[int], following: str) -> bool:
    """Whether the text behind verdicts contradicts one of them by its number."""
    for verdict in chain.from_iterable(claim.verdicts for claim in statements("", following)):
        index = by_number(verdict)
        if index is not None and index < len(values) and values[index] != verdict.value:
            return True
    return False


def lists(numeric: bool, answer: str, text: str) -> Iterator[Claim]:
    """Finds lists in square brackets, alone on a line or behind a label, with or without quotes."""
    vocabulary = words.vocabulary(numeric)
    word = words.pattern(numeric)
    quoted = rf"""(?:"{word}"|'{word}'|{word})"""
    form = re.compile(rf"\[\s*+{quoted}(?:\s*+,\s*+{quoted})*+\s*+,?+\s*+\]", re.IGNORECASE)
    element = re.compile(word, re.IGNORECASE)
    answer_text = without_blanks(plain(answer))
    for match in form.finditer(text):
        lead = _lead(text, match.start())
        after = text[match.end() : match.end() + 1]
        behind = text[match.end() : match.end() + _SENTENCE].partition("\n")[0].lstrip(" \t")
        if _is_reversed(text, match, lead):
            yield Claim((), match.end())
        elif (
            _is_label(lead)
            and after in {"", "\n", " ", ".", ",", ";", "!", "}", "\r", "\t", '"'}
            and not behind.startswith(("*", "+", "[", "/"))
        ):
            listed = [name.casefold() for name in element.findall(match[0])]
            boxed = len(listed) == 1 and behind.strip(" .,;!")  # "[PASS] The tone is calm"
            if boxed or _counts(listed, lead):
                continue
            verdicts = tuple(Verdict(vocabulary[name]) for name in listed)
            doubtful = without_blanks(match[0]) in answer_text or words.is_disclaimed(behind)
            yield Claim(() if doubtful else verdicts, match.end(), soft=len(listed) == 1)


def _counts(listed: Sequence[str], lead: str) -> bool:
    """Whether numbers behind a text that names no verdicts may count something else."""
    return listed[0] not in WORDS and bool(lead.strip()) and not _OF_VERDICTS.search(lead)


_OF_VERDICTS = re.compile(rf"{words.LABEL}|score|评分", re.IGNORECASE)


def ends_in_another(text: str) -> bool:
    """Whether the last line of a text is introduced as somebody else's verdict."""
    above = [line for line, _ in words.lines(text)][-2:-1]
    return any(map(words.introduces_another, above))


def is_reversed(text: str) -> bool:
    """Whether a list in a text says what is violated, or is replaced by a list behind it."""
    matches = _ANY_LIST.finditer(text)
    return any(_is_reversed(text, match, _lead(text, match.start())) for match in matches)


def _is_reversed(text: str, match: re.Match[str], lead: str) -> bool:
    return bool(_CHANGED.match(text, match.end()) or words.is_negative(lead))


def sequences(numeric: bool, answer: str, text: str) -> Iterator[Claim]:
    """Finds lines of several verdicts with marks or blanks between, alone or behind a label."""
    vocabulary = words.vocabulary(numeric)
    word = words.pattern(numeric)
    form = re.compile(
        rf"(?P<lead>[^\[\]]{{0,80}}?)[('\"{{]*(?P<all>{word}(?:['\"]?\s*[,;|\s]\s*['\"]?{word})+)"
        r"[)'\"}]*\s*[.!]?",
        re.IGNORECASE,
    )
    element = re.compile(word, re.IGNORECASE)
    quoted = words.squeezed_lines(answer)
    for line, stop in words.lines(text):
        # A quick look, before the pattern that takes long on lines that it does not match.
        if len(line) >= _SENTENCE or not words.ends_in_verdict(line, numeric):
            continue
        match = form.fullmatch(line.strip("|{} "))
        if not match:
            continue
        lead = match["lead"]
        if words.is_negative(lead) or (_is_label(lead) and without_blanks(line) in quoted):
            yield Claim((), stop, soft=True)
        elif _is_label(lead):
            listed = [name.casefold() for name in element.findall(match["all"])]
            # A tick beside a word is one verdict, as is a number beside one.
            alike = len({(name in TICKS, name in WORDS) for name in listed}) == 1
            if alike and not _counts(listed, lead):
                yield Claim(tuple(Verdict(vocabulary[name]) for name in listed), stop)


_WORD = words.pattern()
_CLAUSE_END = re.compile(r"[.,;!?\n]")
_OPEN = re.compile(
    r"\b(?:not|whether|that|doubt|never|neither|must)\b|n't|不|是否|要", re.IGNORECASE
)
# What begins the reason behind a statement.
_REASON = ("because", "as ", "since", "(", "-", "–", "—")
# What is judged, by its number or ordinal; words that join; the verdict.
_STATEMENT = re.compile(
    rf"(?:(?:the\s+)?(?P<ordinal>{'|'.join(words.ORDINALS)})(?:\s+(?:{words.UNIT}|one))?(?=\s)"
    rf"|(?:{words.UNIT})\s*#?(?P<n>{words.NUMERAL})"
    rf"|第\s*(?P<th>{words.NUMERAL})\s*[条个项](?:{words.UNIT})?"
    r"|\b(?P<digit>\d)(?=\s+(?:is|was)\b))"
    r"\s*(?:(?:is|was|(?:has|have) (?P<not>not )?been|should (?:be|read)|[:?–—-]"
    r"|应该?是|应?为|应改为|也|其实|都)\s*){0,2}"
    r"(?:an?\s+)?"
    rf"(?P<word>{_WORD})(?!\w)",
    re.IGNORECASE,
)


def statements(answer: str, text: str) -> Iterator[Claim]:
    """Finds sentences on whether a thing is satisfied, by its number or ordinal."""
    quoted = words.squeezed_lines(answer)
    verdicts = []
    end = 0
    for match in _STATEMENT.finditer(text):
        before = _CLAUSE_END.split(text[max(0, match.start() - _SENTENCE) : match.start()])[-1]
        following = text[match.end() : match.end() + _SENTENCE]
        behind = _CLAUSE_END.split(following, maxsplit=1)[0].strip()
        followed = behind and not behind.startswith(_REASON)
        is_question = following.lstrip().startswith("?")
        if followed or is_question or _OPEN.search(before) or words.is_negative(before):
            continue
        if words.is_hedged(f"{before} {behind}"):
            continue
        numeral = match["n"] or match["th"] or match["digit"]
        number = words.number(numeral) if numeral else words.ORDINALS[match["ordinal"].casefold()]
        value = WORDS[match["word"].casefold()]
        verdicts.append(Verdict(0 if match["not"] else value, number))
        end = match.end()
    numbers = {verdict.number for verdict in verdicts}
    repeated = any(without_blanks(line) in quoted for line, _ in words.lines(text[:end]))
    if verdicts and not repeated and len(numbers) == len(verdicts):
        yield Claim(tuple(verdicts), end, soft=True)


_OPENING = (
    r"(?:(?:therefore|thus|so|hence|overall|in conclusion"
    r"|因此|所以|综上(?:所述)?|总之|我认为)[,:\s]*)?"
)
_MET_VERB = r"satisf(?:y|ies)|meets?|fulfill?s?|follows?|passe?s?"
_SUBJECT = (
    r"(?:the|this|its)?\s*(?:model's\s+)?(?:answer|response|reply|requirement|condition|constraint|it)"
    r"(?:\s+(?:is|was))?\s*"
    r"|(?:[该此这本]个?|模型的?)*(?:回答|答案|回复|输出|要求)\s*"
)
_OBJECT = (
    r"(?:\s*(?:the|this|all(?: of the)?)?\s*(?:(?:scoring\s+)?question's\s+)?"
    r"(?:requirement|question|condition|constraint)s?)?"
    r"|(?:评分问题的?|题目的?|指令的?|所有的?)*(?:要求|条件)?"
)
# A sentence: "The answer does not meet the requirement."
_PREDICATE = re.compile(
    rf"{_OPENING}(?:{_SUBJECT})(?:(?P<word>{_WORD})|(?P<no>does not|doesn't|fails to)?\s*"
    rf"(?P<verb>{_MET_VERB})|(?P<not>不|未|没有?|未能|不能|并未)?(?P<met>满足|符合|达到|做到)了?)"
    rf"(?:{_OBJECT})\s*[.!]?",
    re.IGNORECASE,
)
# A verdict alone, or behind a label such as "Final answer:".
_LABELLED = re.compile(
    rf"{_OPENING}(?:(?:i (?:would|conclude|judge)(?: that)?\b:?\s*)?"
    rf"(?:[\[\"]?(?:{words.LABEL})[\]\"]?"
    r"(?:\s*(?:is|为|是)\b|(?<=[a-z])\s|\s*应?为|\s*应?是(?=\s*[:\"'])|(?<=\])|(?=\s*[^\w\s])|(?=\s)))?"
    r"\s*(?:[:=|–—-]|->|→)?\s*)?"
    rf"""[\[("'|]*(?P<word>.{{1,30}}?)[\])"'|]*\s*[.!]?""",
    re.IGNORECASE,
)
# A label with its verdict behind other words of the same line.
_CONCLUDED = re.compile(
    rf"[,.;]\s*{_OPENING}(?:{words.LABEL})\s*(?:\bis\b|应?为|是|:)\s*:?\s*"
    rf"""["'\[]*(?P<word>{_WORD})["'\]]*\s*[.!]?$""",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;]")
_QUESTION = re.compile(
    rf"(?P<question>[^?:]{{0,160}}(?:{_MET_VERB}|\bmet\b|satisfied|满足|符合|通过)[^?:]{{0,60}})[?:]\s*"
    rf"(?:(?:answer|答案)\s*:\s*)?(?P<word>{_WORD})\s*[.!]?",
    re.IGNORECASE,
)
_REASONED = re.compile(
    rf"(?:(?:{words.LABEL})\s*[:=]\s*)?[\"']?(?P<word>{_WORD})[\"']?\s*(?:[,.;—–(]|-\s)\s*(?P<reason>\S.*)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bnot\b|n't|(?<!是)不|没有|未", re.IGNORECASE)


def single(answer: str, text: str) -> Iterator[Claim]:
    """Finds lines with one verdict: alone, behind a label or question, or before a reason."""
    quoted = words.squeezed_lines(answer)
    all_lines = list(words.lines(text))
    remarks = set()
    verdicts = set()
    for index, (line, stop) in enumerate(all_lines):
        value = _single(line.strip("|{} ")) if len(line) < _SENTENCE else None
        if value is None:
            continue
        # A word between other lines may be a remark on what stands above it, as may "Correct."
        bare = line.casefold().strip(" .!")
        alone = words.verdict(line) is not None and bare not in REQUESTED
        before = all_lines[index - 1][1] if index else 0
        paragraph = _blank_line(text, before) and _blank_line(text, stop)
        if (
            alone
            and index != len(all_lines) - 1
            and (bare in words.AMBIGUOUS or (index and not paragraph))
        ):
            remarks.add(value)
            continue
        verdicts.add(value)
        foreign = without_blanks(line) in quoted or (
            index and words.introduces_another(all_lines[index - 1][0])
        )
        yield Claim(() if foreign else (Verdict(value),), stop)
    if verdicts and remarks - verdicts:  # a remark that says otherwise: all is in doubt
        yield Claim((), len(text))


def _blank_line(text: str, start: int) -> bool:
    """Whether the line that begins at an offset is blank."""
    return text[start : start + _NAME].lstrip(" \t").startswith(("\n", "\r"))


def _single(line: str) -> int | None:
    if len(line) < _NAME and (value := words.verdict(line)) is not None:
        return value
    if match := _LABELLED.fullmatch(line):
        value = words.verdict(match["word"])
        if value is not None:
            return value
    if match := _CONCLUDED.search(line):
        sentence = _SENTENCE_END.split(line[: match.start() + 1])[-1]
        doubtful = words.is_disclaimed(sentence) or words.is_hedged(sentence)
        return None if doubtful else words.verdict(match["word"])
    if match := _QUESTION.fullmatch(line):
        question = match["question"]
        if not (words.is_negative(question) or words.is_hedged(question) or _NOT.search(question)):
            return WORDS[match["word"].casefold()]
    if match := _PREDICATE.fullmatch(line):
        if match["word"]:
            word = match["word"].casefold()
            return None if word in REQUESTED else WORDS[word]  # "答案是" says nothing yet
        return int(not (match["no"] or match["not"]))
    match = _REASONED.fullmatch(line)
    if match and match["word"].casefold() not in words.AMBIGUOUS:
        return reasoned(match["word"], match["reason"])
    return None


def reasoned(word: str, reason: str, numeric: bool = False) -> int | None:
    """A word's verdict if the reason behind it does not contradict it."""
    value = words.vocabulary(numeric)[word.casefold()]
    # Verdicts within the reason: words of several letters, and parts that are nothing else.
    verdicts = {WORDS[match.casefold()] for match in _IN_REASONS.findall(reason)}
    parts = [words.verdict(part) for part in re.split(r"[,;\s]+", reason)]
    if parts[0] is not None or not _SOME_WORDS.search(reason):
        return None
    verdicts |= {part for part in parts if part is not None}
    if words.is_hedged(reason) or verdicts - {value} or (value and words.is_negative(reason)):
        return None
    return value


_SOME_WORDS = re.compile(r"\w\s+\w|[\u4e00-\u9fff]")
_LONG_WORDS = sorted((word for word in WORDS if len(word) > 1), key=len, reverse=True)
_IN_REASONS = re.compile(
    "|".join(rf"\b{word}\b" if word.isascii() else word for word in _LONG_WORDS), re.IGNORECASE
)


def objects(numeric: bool, answer: str, text: str) -> Iterator[Claim]:
    """Finds verdicts in a reply's JSON: one value, or one on each line."""
    values, start, end = _json(text)
    lead = _lead(text, start)
    if not values or words.is_disclaimed(lead) or (text[start] == "[" and _counts(["1"], lead)):
        return
    content = values[0] if len(values) == 1 else values
    try:
        verdicts = tuple(_members(content, numeric))
    except (ValueError, RecursionError):
        return
    if verdicts:
        quoted = without_blanks(text[start:end]) in without_blanks(plain(answer))
        has_further = any(mark in text[end:] for mark in "{[")
        yield Claim(() if quoted or has_further else verdicts, end)


def without_json(text: str) -> str:
    """A text with blanks in place of its JSON."""
    _, start, end = _json(text)
    return text[:start] + " " * (end - start) + text[end:]


def _json(text: str) -> tuple[list[Any], int, int]:
    """The JSON values from the first bracket of a text on, and their start and end."""
    opening = _OPENING_BRACKET.search(text)
    start = end = opening.end() - 1 if opening else 0
    values: list[Any] = []
    try:
        while text.startswith(("{", "["), end):
            value, end = _DECODER.raw_decode(text, end)
            values.append(value)
            if isinstance(value, list) and len(value) == 1 and _WORD_BEHIND.match(text, end):
                return [], 0, 0  # "[1] The title is short"
            if behind := _BETWEEN.match(text, end):
                end = behind.end()
    except (ValueError, RecursionError):
        return [], 0, 0
    return values, start, end


_DECODER = json.JSONDecoder()
_OPENING_BRACKET = re.compile(r"\{|(?:^[ \t>*-]*|[:=为是]\s*|\b(?:is|are)\s+)\[", re.MULTILINE)
_WORD_BEHIND = re.compile(r"[ \t]*\w")
_BETWEEN = re.compile(r"[\s,]*(?=[{\[])")
_KEY_NUMBER = re.compile(rf"\D{{0,12}}?({words.NUMERAL})\D{{0,4}}")


def _members(value: Any, numeric: bool) -> Iterator[Verdict]:
    """What a JSON value says of each thing: its number or name, if it has one, and the verdict.

    Raises:
        ValueError: it says what is violated.
    """
    if isinstance(value, dict):
        _refuse_negative(value)
        inner = [(name, part) for name, part in value.items() if isinstance(part, list | dict)]
        if len(inner) == 1:
            name, part = inner[0]
            verdict = _member(name, part, numeric) if isinstance(part, dict) else None
            yield from [verdict] if verdict else _members(part, numeric)
            return
        if verdict := _member("", value, numeric):  # beside reasons
            yield verdict
            return
    members = list(value.items()) if isinstance(value, dict) else [("", item) for item in value]
    verdicts = []  # all or none
    for name, member in members:
        verdict = _member(name, member, numeric)
        if verdict is None:
            return
        verdicts.append(verdict)
    yield from verdicts


def _member(name: str, value: Any, numeric: bool) -> Verdict | None:
    """The verdict of one member of a list or an object."""
    about = [name] if name else []
    numbered = _KEY_NUMBER.fullmatch(name)
    number = words.number(numbered[1]) if numbered else None
    if not isinstance(value, dict):
        verdict = _value(value, numeric)
        return None if verdict is None else Verdict(verdict, number, tuple(about))
    _refuse_negative(value)
    parts = list(value.values())
    first = next(iter(value), "")
    if len(parts) > 1 and words.IDENTIFIER.fullmatch(first) and str(parts[0]).isdecimal():
        number = int(parts.pop(0))
    verdicts = []
    for part in parts:
        verdict = _value(part, numeric)
        if verdict is not None:
            verdicts.append(verdict)
        elif isinstance(part, str):
            about.append(part)
    return Verdict(verdicts[0], number, tuple(about)) if len(verdicts) == 1 else None


def _refuse_negative(value: dict[str, Any]) -> None:
    if any(len(key) < _NAME and words.is_negative(key) for key in value):
        raise ValueError("verdicts of the other sense")


def _value(value: Any, numeric: bool) -> int | None:
    if isinstance(value, bool):
        return int(value)
    return words.verdict(str(value), numeric) if isinstance(value, str | int) else None


def _lead(text: str, offset: int) -> str:
    """What precedes an offset on its line, with the line before where that introduces it."""
    start = text.rfind("\n", 0, offset) + 1
    before = text[max(0, start - _SENTENCE) : start].rstrip().rpartition("\n")[2]
    return f"{before} {text[start:offset]}" if before.endswith((":", "?")) else text[start:offset]


def _is_label(lead: str) -> bool:
    """Whether the text before a list on its line is empty, or a label of the list."""
    lead = lead.strip().lstrip(words.LEADING + '{"').strip()
    if number := _NUMBER.match(lead):
        lead = lead[number.end() :]
    lead = lead.replace('"', "")
    if not lead:
        return True
    return len(lead) < 130 and bool(_LABEL.fullmatch(f"{lead} ")) and not words.is_disclaimed(lead)
