"""A judge's reply read as verdicts, or as a score of the whole answer, in either mode."""

import re
from collections.abc import Sequence
from functools import cache, partial

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.facts import DIRECT, DIRECT_FORM, Mode
from steadfast.judging import styles
from steadfast.judging.reply import json_object, last_claim, numbered, one_of, own_strings
from steadfast.judging.rows import rows
from steadfast.judging.words import plain

# No "1.5", "10:30" or "-5".
ENUMERATION = re.compile(r"^(?:[-*•]|[(（]?\d{1,2}[.．、,)）:：])(?!\d)")
STOPS = ".。．"
VERDICT = re.compile(rf"(\d)[{STOPS}]?")
SAME_QUOTES = str.maketrans("“”„「」'", '""""""')
AROUND = "*\"'`()"  # of a checkpoint, where a judge repeats it
_SCORE = re.compile(r"0(?:\.\d{1,2})?|1(?:\.0{1,2})?", re.ASCII)
_LONGEST = 32  # characters of a number in mode released


def read_verdicts(texts: Sequence[str], reply: str) -> list[int] | str:
    """Returns 1 or 0 of each checkpoint, or in one clause why the reply is unreadable.

    Every checkpoint has to occur exactly once, in order, followed by a TAB and 0 or 1. Blanks,
    blank lines, line ends of any kind, an enumeration, bold type and a final full stop are ignored;
    with any other text, such as a sentence before or after, the reply is unreadable.
    """
    if not reply.strip():
        return "the reply is empty"
    names = [_plain(text) for text in texts]
    verdicts: list[int] = []
    lines: list[str] = []  # of a checkpoint that is not yet complete
    for line in reply.splitlines():
        before, tab, after = line.rstrip().rpartition("\t")
        verdict = VERDICT.fullmatch(_unmarked(after)) if tab else None
        if not verdict or int(verdict[1]) not in (0, 1):
            lines.append(line)
            continue
        lines.append(before)
        index = len(verdicts)
        if index == len(texts):
            return f"there are more than {len(texts)} verdicts"
        if not _is_checkpoint(_plain("\n".join(lines)), names[index], names):
            return f"verdict {index + 1} is not of checkpoint {index + 1}"
        verdicts.append(int(verdict[1]))
        lines = []
    if len(verdicts) < len(texts):
        return f"there are {len(verdicts)} verdicts for {len(texts)} checkpoints"
    return "there is text after the last verdict" if "".join(lines).strip() else verdicts


def _is_checkpoint(words: str, text: str, texts: Sequence[str]) -> bool:
    """Returns whether words are a checkpoint, and no other of ``texts``.

    A judge may put an enumeration before it, or change the checkpoint's own unambiguously.
    """
    if words == text or (words.endswith(text) and ENUMERATION.fullmatch(words.removesuffix(text))):
        return True
    bare = ENUMERATION.sub("", words)
    return {other for other in texts if ENUMERATION.sub("", other) == bare} == {text}


def _plain(text: str) -> str:
    return _unmarked(text).rstrip(STOPS)


def _unmarked(text: str) -> str:
    return "".join(text.split()).replace("**", "").replace("__", "")


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Returns whether a reply needs no further request."""
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
    verdict = one_of(0, 1)
    texts = expected["checkpoints"]
    return numbered([json_object(checkpoint=one_of(text), verdict=verdict) for text in texts])


def strict_verdicts(texts: Sequence[str], reply: str, answer: str) -> list[int] | str:
    """Returns 1 or 0 of each checkpoint, or in one clause why the reply is unreadable."""
    own_text = own_strings(reply, answer)
    verdicts = read_verdicts(texts, own_text)
    if isinstance(verdicts, str) and own_text != reply:
        # A checkpoint of several lines may show a form that the answer rightly has, and an answer
        # that forges its verdicts must not undo those of a judge who disagrees: the whole reply
        # counts unless its verdicts stand in the answer too, one after the other. (To look for
        # each by itself would let an answer with a list of ones and a list of zeros undo any.)
        judged = _verdict_lines(reply)
        forged = _verdict_lines(answer)
        if f"\n{judged}\n" not in f"\n{forged}\n":
            verdicts = read_verdicts(texts, reply)
    if isinstance(verdicts, str):
        return _in_another_style(texts, reply, answer) or verdicts
    return verdicts


def _in_another_style(texts: Sequence[str], reply: str, answer: str) -> list[int] | None:
    """Returns unambiguous verdicts in another style, each with its checkpoint, or all as a list."""
    bare_texts = [_bare(text) for text in texts]

    @cache  # called for each row both when it is read and when rows are sorted
    def place(verdict: styles.Verdict) -> int | None:
        """By the checkpoint's words, else by a number; -1 where it is about something else."""
        names = [_bare(name) for name in verdict.about]
        by_number = styles.by_number(verdict)
        for name in dict.fromkeys(filter(None, names)):
            by_text = []
            for index, text in enumerate(bare_texts):
                if _is_checkpoint(name, text, bare_texts):
                    by_text.append(index)
            if by_text:
                return by_number if by_number in by_text else by_text[0]
        return -1 if names and by_number is None else by_number

    in_brackets = (styles.lists, styles.sequences, styles.objects)
    forms: list[styles.Form] = [partial(form, True, answer) for form in in_brackets]
    forms.append(partial(rows, True, answer, item_index=place, texts=[*map(plain, texts)]))
    return styles.agreed_verdicts(reply, answer, len(texts), forms, place)


def _bare(text: str) -> str:
    """A checkpoint's words as they are compared where a judge wrote them in a style of its own."""
    return _plain(_plain(plain(text).translate(SAME_QUOTES)).strip(AROUND))


def _verdict_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if "\t" in line)


def parsed(texts: Sequence[str], reply: str) -> list[str] | None:
    """Returns the score of each checkpoint in a reply of exactly the requested form, else None."""
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

    Strict: the last line of the judge's own text is its one score line, with a number of at most
    two decimals; blanks, bold type, a half-width colon and a final full stop are ignored.
    Released: what follows the last score mark, up to a blank, read by Python's ``float`` as the
    released code reads the verdicts of a checklist, if it is from 0 to 1.
    """
    if mode == "released":
        _, mark, after = reply.rpartition(DIRECT_FORM.format(score=""))
        words = after.split(None, 1) if mark else []
        value = number(words[0]) if words and len(words[0]) <= _LONGEST else None
        return value if value is not None and 0 <= value <= 1 else None
    claim = last_claim(reply, answer, "评分") or ""
    match = _SCORE.fullmatch(claim.strip(" \t*_`").rstrip("。．."))
    return float(match[0]) if match else None
