"""What an answer names: the letter of a choice, or a number.

Nothing is guessed: questions, denials, suppositions and lists are no claims, and an answer without
a claim is unread. Every expression is bounded, so that the time is linear in the text's length.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import chain

from steadfast.base.unicode import normalized

LOOSE = ("case", "punctuation")  # what makes no difference where an answer is the text of a choice
MARKUP = str.maketrans("", "", "*_`#$")


def plain(text: object, ignore: Sequence[str] = ()) -> str:
    """Returns a text in Unicode's composed form (NFC), with one blank for any white space and none
    at its ends.

    ``ignore``: ``case``, folded as Unicode says; ``punctuation``, all signs of Unicode's categories
    P and S, which are taken out.

    >>> plain("  The\\n sea! "), plain("The sea!", ["case", "punctuation"])
    ('The sea!', 'the sea')
    """
    squeezed = normalized(str(text))
    if "case" in ignore:
        squeezed = squeezed.casefold()
    if "punctuation" in ignore:
        squeezed = "".join(sign for sign in squeezed if unicodedata.category(sign)[0] not in "PS")
    return " ".join(squeezed.split())


# --- claims -----------------------------------------------------------------------------------

ANSWER = (
    r"(?:\b(?:answer|ans\b\.?|correct(?= ?[:：])|respuesta|réponse|antwort|risposta|resposta)"
    r"|答案|答え|正解|정답|ответ)"
)
OPTION = r"(?:\b(?:option|choice|letter)|选项|选择|选)"
SURELY = (
    r"(?:clearly|definitely|certainly|obviously|surely|probably|(?:most )?likely|therefore|thus"
    r"|hence|simply|actually|really|still|indeed)"
)
# "answer is", "answer should clearly be": up to one word between, such as "respuesta correcta es".
IS = (
    r"(?:(?: \w{1,15})?"
    r" (?:is|would(?: \w{1,15})? be|must be|should be|has to be|to be|ist|est|es|è|é)"
    rf"(?: {SURELY})?|是|为)"
)
# Between the word "answer" and what it is.
LINK = rf"(?:{IS} ?[:：=]?|[\"”]? ?[:：=]| ?(?:→|->|=>) ?| [-–—] )"
# What precedes a claim that does not name the answer as such.
SAID = (
    r"(?:\b(?:it is|it's|it’s|must be|should be|would be|go with|going with|so|no[,:]|yes[,:]"
    r"|leaves|(?:I|I'd|I’d|I would|I'll|I’ll) (?:say|choose|pick|select)|selected|picked|chosen"
    rf"|{SURELY})|所以|因此)"
)
RIGHT = (
    r"(?: (?:is|seems|appears|looks|remains)(?: to be)?(?: the)?"
    r" (?:correct|right|best|better|most accurate|most plausible|most appropriate)\b"
    r"| fits best\b|(?:选项)?(?:正确|是对的|是正确))"
)
DENIED = re.compile(
    r"\b(?:not|neither|nor|never|cannot|eliminate|rule out|exclude|reject|discard|wrong|incorrect"
    r"|if|whether|suppose|assume|unless)\b|n['’]t\b|不|排除",
    re.IGNORECASE,
)
CLAUSE_ENDS = re.compile(r"[.,;:!?。，；：！？]")
SENTENCE_ENDS = re.compile(r"[.!?。！？]")
# Characters before a claim in which a word may deny it, and around it in which others stand.
NEAR = 60


def _is_denied(line: str, start: int) -> bool:
    clause = CLAUSE_ENDS.split(line[max(0, start - NEAR) : start])[-1]
    return DENIED.search(clause) is not None


# --- choices ----------------------------------------------------------------------------------


def letter_named(text: str, choices: Sequence[str]) -> str | None:
    """Returns the letter that an answer names; None where it names none, or several.

    The first that exists of: the last letter in a box or in answer tags; the last that is claimed,
    as in "the answer is B", "option B", "B is correct", "it is B." or "答案：B", by letter or by
    the choice's text; the one letter with which lines begin, alone or before a sign such as ``)``;
    the choice whose letter, in any case, or text is the whole answer.
    """
    letters = string.ascii_uppercase[: len(choices)]
    texts = {plain(choice, LOOSE): letters[place] for place, choice in enumerate(choices)}
    lines = [" ".join(line.translate(MARKUP).split()) for line in text.splitlines()]
    marked = [match[1] or match[2] for match in _marked(letters).finditer(" ".join(lines))]
    if marked:
        return str(marked[-1]).upper()
    claimed = list(chain.from_iterable(_claimed(line, letters, texts) for line in lines))
    if claimed:
        return claimed[-1]
    begun = set(filter(None, (_begun(line, letters, texts) for line in lines)))
    if begun:
        return only_letter(begun)
    response = plain(text, LOOSE)
    if len(response) == 1 and response.upper() in letters:
        return None if "?" in text else response.upper()
    return texts.get(response) if len(texts) == len(choices) else None


def only_letter(letters: Iterable[str]) -> str | None:
    """Returns the one letter that there is; None of none or several."""
    candidates = list(letters)
    return candidates[0] if len(candidates) == 1 else None


@cache
def _marked(letters: str) -> re.Pattern[str]:
    """A letter in a box or between answer tags."""
    letter = rf"\(?([{letters}])\)?"
    box = rf"\\boxed ?\{{(?:\\text(?:bf)? ?\{{)?{letter}\}}"
    return re.compile(rf"{box}|<answer> ?{letter}[.)]? ?</answer>", re.IGNORECASE)


@cache
def _claims(letters: str) -> tuple[re.Pattern[str], ...]:
    """Forms in which an answer claims a letter; the last one is no claim beside other letters."""
    alternatives = (
        rf"(?:or|and|/|&|或|和) ?(?:option |choice )?[{letters}]\b|, ?[{letters}]\b(?! ?[a-z)])"
    )
    # "A" before a word in lower case is an article; with a question mark nothing is claimed.
    letter = (
        rf"[(（\[\"'“‘「]?((?!A (?!because|since|or|and)[a-z])[{letters}])(?![A-Za-z0-9_'’][a-z])"
        rf"(?![A-Za-z0-9_])(?![)）\]'\"”’」.]?[?？])(?! ?(?:{alternatives}))"
    )
    small = f"[{letters.lower()}]"
    closing = r"[)）\]'\"”’」]{0,3}"
    sentence_end = rf"{closing}(?:$|[.;!。；！](?:$|\s|[^\x00-\x7f])|,? because|,? since)"
    clause_end = rf"{closing}(?:[,，](?:$|\s|[^\x00-\x7f])| here\b| [-–—(（])"
    named = rf"(?i:{ANSWER}|{OPTION})"
    prefix = r"(?i:option |choice |letter )?"
    return (
        re.compile(rf"{named}(?i:{LINK}) ?{prefix}{letter}"),
        re.compile(rf"(?i:{ANSWER}{IS}?) ?[:：=] ?(?!a [a-z])({small})(?![A-Za-z0-9_'’?])"),
        re.compile(rf"(?i:{ANSWER}{IS}?) ((?!a){small})(?=[.!)]?$)"),
        re.compile(rf"(?:{named}(?i:{LINK})?|(?i:{SAID})) ?{prefix}[(（\[]({small})[)）\]](?!\?)"),
        re.compile(rf"(?i:{SAID})[,:：，]? ?{prefix}{letter}(?={sentence_end}|{clause_end})"),
        re.compile(
            rf"(?:{named} ?|(?<![a-z] )\b|(?<=\bbut )|(?<=\bso ))([{letters}])[)\].]?{RIGHT}"
            r"(?![^.!。]{0,80}\?)"
        ),
        re.compile(rf"{named} ?{letter}(?={sentence_end})"),
    )


CLAIMED_TEXT = re.compile(rf"(?i:(?:{ANSWER}|{OPTION})(?:{LINK})|\bit(?: is|'s|’s)) ?(.{{1,200}})$")


def _claimed(line: str, letters: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yields the letters that a line claims, in their order; by a choice's text where by none."""
    *firm, loose = _claims(letters)
    claims: list[re.Match[str]] = []
    for form in firm:
        claims += form.finditer(line)
    claims += [match for match in loose.finditer(line) if _is_alone(match, line, letters)]
    claimed = [match for match in claims if not _is_denied(line, match.start())]
    for match in sorted(claimed, key=re.Match.start):
        yield next(filter(None, match.groups())).upper()
    by_text = None if claims else CLAIMED_TEXT.search(line)
    if by_text and not _is_denied(line, by_text.start()):
        letter = texts.get(plain(by_text[1], LOOSE))
        if letter:
            yield letter


def _is_alone(match: re.Match[str], line: str, letters: str) -> bool:
    """Whether a match's sentence, as far as it is near, names no other letter."""
    before = SENTENCE_ENDS.split(line[max(0, match.start() - NEAR) : match.start()])[-1]
    behind = SENTENCE_ENDS.split(line[match.end() : match.end() + NEAR])[0]
    return re.search(rf"\b(?!A [a-z])[{letters}]\b(?!['’])", f"{before} {behind}") is None


def _begun(line: str, letters: str, texts: Mapping[str, str]) -> str | None:
    """Returns the letter with which a line begins, alone or before a sign."""
    begins, small = _beginnings(letters)
    if match := begins.match(line):
        return match[1]
    match = small.match(line)
    letter = match[1].upper() if match else None
    return letter if match and texts.get(plain(match[2], LOOSE)) == letter else None


@cache
def _beginnings(letters: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    several = rf"(?! ?(?:or |and )?[{letters}]\b)"
    return (
        re.compile(
            rf"(?i:option |choice )?[(\[]?([{letters}])(?:[)\].:]|,{several}| [-–—] |[–—]|$)"
        ),
        re.compile(rf"\(?([{letters.lower()}])[).:] ?(.{{1,200}})$"),
    )


# --- numbers ----------------------------------------------------------------------------------

CJK = "一-鿿぀-ヿ가-힣"
_GROUPS = r"[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:[\u00a0\u202f\u2009][0-9]{3})+)(?![0-9])(?:\.[0-9]+)?"
_DECIMAL_COMMA = r"(?<![0-9],)[0-9]+,(?:[0-9]{1,2}|[0-9]{4,9})(?![0-9]|,[0-9])"
NUMBER = re.compile(
    # No part of a word or a longer number, but behind Chinese, Japanese and Korean characters.
    rf"(?<!(?![{CJK}])[\w.])(?P<sign>(?<!\))[-+−–]|(?<![0-9] )minus )?"
    r"(?:[$€£¥￥] ?)?"
    rf"(?:(?P<groups>{_GROUPS})|(?P<comma>{_DECIMAL_COMMA})"
    r"|(?P<digits>[0-9]+(?:\.[0-9]+)?|\.[0-9]+))"
    r"(?:[eE](?P<power>[-+]?[0-9]{1,3})(?![0-9])"
    r"| ?(?:×|x|\*|\\times|\\cdot) ?10\^\{?(?P<ten>[-+−]?[0-9]{1,3})(?![0-9])\}?)?"
    r"(?:/(?P<parts>[1-9][0-9]{0,8})(?![0-9/]|\.[0-9]))?"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|万|亿)(?![a-z]))?",
    re.IGNORECASE,
)
SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "万": 10**4, "亿": 10**8,
}  # fmt: skip
FRACTION = re.compile(r"\\[dt]?frac ?\{([0-9]{1,9})\}\{([0-9]{1,9})\}")
# Where an answer sets its number apart: in a box, between tags, behind four hashes (GSM8K).
MARKED_NUMBER = re.compile(
    r"\\boxed ?\{([^{}\n]{1,100})\}|<answer>([^<>]{1,200})</answer>|####([^\n]{1,100})",
    re.IGNORECASE,
)
CLAIMED_NUMBER = re.compile(rf"(?i:{ANSWER}{LINK})(?! not\b)([^\n]{{1,200}})")
# From where on a claim speaks of something else than its number.
FURTHER = re.compile(r"[;(（。，]|[.,](?:\s|$)| (?:because|since|where|out of|of) ")


def number_named(text: str) -> Decimal | None:
    """Returns the number that an answer names; None where there is none.

    The first that exists of: the last number in a box, in answer tags or behind ``####``; the last
    that is claimed, as in "the answer is 7"; the last number of the text.
    """
    text = FRACTION.sub(r"\1/\2", text).replace("{,}", ",")
    for form in (MARKED_NUMBER, CLAIMED_NUMBER):
        named = None
        for match in form.finditer(text):
            name = next(filter(None, match.groups()))
            number = last_number(FURTHER.split(name)[0])
            named = named if number is None else number
        if named is not None:
            return named
    return last_number(text)


def last_number(text: str) -> Decimal | None:
    """Returns the last number of a text; None where there is none."""
    last = None
    for number in NUMBER.finditer(text):  # not all at once: a text may be long
        last = number
    if last is None:
        return None
    digits = last["digits"] or (last["comma"] or "").replace(",", ".")
    digits = digits or re.sub(r"[^0-9.]", "", last["groups"])
    sign = "-" if (last["sign"] or "+") != "+" else ""
    power = (last["power"] or last["ten"] or "0").replace("−", "-")
    value = Decimal(f"{sign}{digits}e{power}")
    if last["parts"] and text[last.start() - 1 : last.start()] != "/":  # no date such as 1/2/2020
        value /= int(last["parts"])
    return value * SCALES[last["scale"].lower()] if last["scale"] else value
