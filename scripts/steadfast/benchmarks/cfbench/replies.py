"""What a judge's reply says, in either mode: verdicts, or a score of the whole answer."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.facts import DIRECT, DIRECT_FORM, Mode
from steadfast.judging.reply import json_object, last_claim, numbered, one_of, own_words
from steadfast.judging.styles import (
    FIGURES,
    OF_ITEMS,
    VerdictClaim,
    agreed,
    lines,
    lists,
    objects,
    plain,
)

# No "1.5", "10:30" or "-5".
ENUMERATION = re.compile(r"^(?:[-*•]|[(（]?\d{1,2}[.．、,)）:：])(?!\d)")
STOPS = ".。．"
VERDICT = re.compile(rf"(\d)[{STOPS}]?")
_AT_END = re.compile(
    # A dash that touches a number is its sign.
    rf"(?:\s|\\t|[:=|,(→>—]|\s[–-]+\s)\s*\"?({'|'.join(FIGURES)})\"?[.)]*$",
    re.IGNORECASE,
)
_ENDING = 24
"""Characters at the end of a line in which a verdict and what parts it from the words stand."""
_SCORE = re.compile(r"0(?:\.\d{1,2})?|1(?:\.0{1,2})?", re.ASCII)
_LONGEST = 32  # characters of a number in mode released


def read_verdicts(texts: Sequence[str], reply: str) -> list[int] | str:
    """1 or 0 of each checkpoint, or in one clause why the reply cannot be read as a whole.

    Every checkpoint has to be there exactly once, in order, each followed by a TAB and 0 or 1. What
    changes no meaning is let pass: blanks, line ends of any kind, blank lines, an enumeration, bold
    type, a final full stop. Anything else, such as a sentence before or after, is unreadable.
    """
    if not reply.strip():
        return "the reply is empty"
    wanted = [_plain(text) for text in texts]
    verdicts: list[int] = []
    lines: list[str] = []  # of a checkpoint that is not yet complete
    for line in reply.splitlines():
        before, tab, after = line.rstrip().rpartition("\t")
        verdict = VERDICT.fullmatch(_unmarked(after)) if tab else None
        if not verdict or int(verdict[1]) not in (0, 1):
            lines.append(line)
            continue
        lines.append(before)
        place = len(verdicts)
        if place == len(texts):
            return f"there are more than {len(texts)} verdicts"
        if not _names(_plain("\n".join(lines)), wanted[place], wanted):
            return f"verdict {place + 1} is not of checkpoint {place + 1}"
        verdicts.append(int(verdict[1]))
        lines = []
    if len(verdicts) < len(texts):
        return f"there are {len(verdicts)} verdicts for {len(texts)} checkpoints"
    return "there is text after the last verdict" if "".join(lines).strip() else verdicts


def _names(words: str, text: str, wanted: Sequence[str]) -> bool:
    """Returns whether a judge's words are this checkpoint's, and of no other that is wanted.

    A judge may put an enumeration before it, or change its own where that leaves no doubt.
    """
    if words == text or (words.endswith(text) and ENUMERATION.fullmatch(words.removesuffix(text))):
        return True
    bare = ENUMERATION.sub("", words)
    return {other for other in wanted if ENUMERATION.sub("", other) == bare} == {text}


def _plain(text: str) -> str:
    return _unmarked(text).rstrip(STOPS)


def _unmarked(text: str) -> str:
    return "".join(text.split()).replace("**", "").replace("__", "")


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Returns whether a reply needs no further asking."""
    if DIRECT in expected:
        return direct_score(expected["mode"], reply, answer) is not None
    texts = expected["checkpoints"]
    if expected["mode"] == "released":
        return parsed(texts, reply) is not None
    return isinstance(strict_verdicts(texts, reply, answer), list)


def schema(expected: Record) -> Record | None:
    """Returns the JSON schema of a reply: each checkpoint, word for word, and 1 or 0.

    A score of the whole answer is read from no JSON.
    """
    if DIRECT in expected:
        return None
    texts = expected["checkpoints"]
    judged = [json_object(checkpoint=one_of(text), verdict=one_of(0, 1)) for text in texts]
    return numbered(judged)


def strict_verdicts(texts: Sequence[str], reply: str, answer: str) -> list[int] | str:
    """1 or 0 of each checkpoint by mode strict, or in one clause why the reply cannot be read."""
    own = own_words(reply, answer)
    verdicts = read_verdicts(texts, own)
    if isinstance(verdicts, str) and own != reply:
        # A checkpoint of several lines may show a form that the answer rightly has, and an answer
        # that forges its verdicts must not undo those of a judge who disagrees: the whole reply
        # counts unless its verdicts stand in the answer too, one after the other. (To look for
        # each by itself would let an answer with a list of ones and a list of zeros undo any.)
        judged, forged = _verdict_lines(reply), _verdict_lines(answer)
        if f"\n{judged}\n" not in f"\n{forged}\n":
            verdicts = read_verdicts(texts, reply)
    if isinstance(verdicts, str):
        return _in_another_style(texts, reply, answer) or verdicts
    return verdicts


def _in_another_style(texts: Sequence[str], reply: str, answer: str) -> list[int] | None:
    """The verdicts that a reply gives beyond doubt, each with its checkpoint, or all as a list."""
    wanted = [_plain(plain(text)) for text in texts]

    def about(claim: VerdictClaim) -> bool:
        names = [_plain(plain(label)) for label in claim.labels]
        return not names or all(map(_names, names, wanted, [wanted] * len(wanted)))

    forms = [partial(form, FIGURES, answer) for form in (lists, objects)]
    rows = partial(_rows, texts, wanted, answer)
    return agreed(reply, answer, len(texts), [*forms, rows], about)


def _rows(
    texts: Sequence[str], wanted: Sequence[str], answer: str, text: str
) -> Iterator[VerdictClaim]:
    """Lines or rows of a table with a checkpoint and its verdict, in order, each once."""
    given = {_plain(line) for line, _ in lines(plain(answer))}
    most = max(text.count("\n") for text in texts) + 1
    verdicts: list[int] = []
    places: list[int] = []
    before: list[str] = []
    end = 0
    for line, stop in lines(text):
        words, verdict, soft = _parted(line)
        spellings = ("".join(before[len(before) - n :]) + _plain(words) for n in range(most))
        place = next((at for s in spellings if (at := _place(s, wanted)) is not None), None)
        before = [*before, _plain(line)][-most:]
        if verdict is None or (soft and place is None):
            continue
        if place is not None:
            end = stop
            verdicts.append(verdict)
            places.append(-1 if _plain(line) in given else place)
        elif not any(_plain(line) in known for known in (*wanted, *given)):
            places.append(-1)  # a verdict of something else
    if verdicts:
        yield VerdictClaim(tuple(verdicts) if places == sorted(set(places)) else (), (), end)


def _parted(line: str) -> tuple[str, int | None, bool]:
    """A line's, or a table's row's, words; the verdict at its end, where one is; whether soft."""
    if line.startswith("|") or line.count("|") > 1:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        number = len(cells) > 2 and cells[0].rstrip(".)").isdigit()
        line = f"{' '.join(cells[number:-1])}\t{cells[-1]}"
    head, tail = line[:-_ENDING], line[-_ENDING:]
    found = _AT_END.search(tail)
    if not found:
        return line, None, False
    word = found[1].casefold()
    return head + tail[: found.start()], FIGURES[word], word in OF_ITEMS


def _place(words: str, wanted: Sequence[str]) -> int | None:
    return next((at for at, text in enumerate(wanted) if _names(words, text, wanted)), None)


def _verdict_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if "\t" in line)


def parsed(texts: Sequence[str], reply: str) -> list[str] | None:
    """The scores of a reply of exactly the wanted form, a checkpoint each; None for any other."""
    parts = reply.split("\n\n")
    if len(parts) != len(texts):
        return None
    scores = []
    for text, part in zip(texts, parts, strict=True):
        before, _, after = part.partition("\t")
        if part.count("\t") != 1 or before != text or number(after) not in (0, 1):
            return None
        scores.append(after.strip())
    return scores


def number(text: str) -> float | None:
    """A number as the released code reads it, which is any that Python's ``float`` takes."""
    try:
        return float(text)
    except ValueError:
        return None


def direct_score(mode: Mode, reply: str, answer: str) -> float | None:
    """Returns the score that a reply gives, 0 to 1; None where it gives none.

    Strict: the last line of the judge's own words is its one score line, with a number of at most
    two decimals; blanks, bold type, a half-width colon and a final full stop make no difference.
    Released: what follows the last score mark, up to a blank, is whatever Python's ``float``
    takes for a number from 0 to 1, as the released code reads the verdicts of a checklist.
    """
    if mode == "released":
        _, mark, after = reply.rpartition(DIRECT_FORM.format(score=""))
        words = after.split(None, 1) if mark else []
        value = number(words[0]) if words and len(words[0]) <= _LONGEST else None
        return value if value is not None and 0 <= value <= 1 else None
    claim = last_claim(reply, answer, "评分") or ""
    found = _SCORE.fullmatch(claim.strip(" \t*_`").rstrip("。．."))
    return float(found[0]) if found else None
