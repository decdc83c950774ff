"""The scorers that a config names: what an answer is worth beside the answers that count as right.

Each takes a model's text and its instance, and gives the best mark that any right answer gives it.
All are bounded in time for any text: no expression here can look at a text more often than once
from each of its places, and the user's own are RE2's, whose time is linear.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache

from steadfast.base.unicode import composed
from steadfast.simple.instance import Instance, Mark

READ = "answer"
"""Name of the group of an expression that holds what is read."""


# --- texts ------------------------------------------------------------------------------------


def plain(text: object, ignore: Sequence[str] = ()) -> str:
    """Returns a text in Unicode's composed form (NFC), with one blank for any white space and none
    at its ends.

    ``ignore``: ``case``, folded as Unicode says; ``punctuation``, all signs of Unicode's categories
    P and S, which are taken out.

    >>> plain("  The\\n sea! "), plain("The sea!", ["case", "punctuation"])
    ('The sea!', 'the sea')
    """
    found = composed(str(text))
    if "case" in ignore:
        found = found.casefold()
    if "punctuation" in ignore:
        found = "".join(sign for sign in found if unicodedata.category(sign)[0] not in "PS")
    return " ".join(found.split())


def exact(text: str, one: Instance, ignore: Sequence[str] = ()) -> Mark:
    """1 where the whole answer is a right one, as ``plain`` gives both."""
    found = plain(text, ignore)
    return Mark(float(any(found == plain(right, ignore) for right in one.answers)), found)


def contains(text: str, one: Instance, ignore: Sequence[str] = ()) -> Mark:
    """1 where a right answer, of which something is left, stands anywhere, within a word too."""
    found = plain(text, ignore)
    rights = {str(right): plain(right, ignore) for right in one.answers}
    held = [right for right, sought in rights.items() if sought and sought in found]
    return Mark(float(bool(held)), held[0] if held else None)


def regex(text: str, one: Instance, pattern: str | None = None, ignore: Sequence[str] = ()) -> Mark:
    """1 where what the pattern first finds is a right answer, as ``exact`` compares them.

    Without a pattern the right answers are patterns, one of which has to be found anywhere.
    """
    if pattern is None:
        found = [str(right) for right in one.answers if first_match(str(right), text) is not None]
        return Mark(float(bool(found)), found[0] if found else None)
    read = first_match(pattern, text)
    return Mark(0.0, None) if read is None else exact(read, one, ignore)


def first_match(pattern: str, text: str) -> str | None:
    """Returns what a pattern first finds: its group ``(?P<answer>…)``, or all of it.

    Raises:
        ValueError: RE2 does not take the pattern.
    """
    # Of the libraries that the project has, the one whose matching takes linear time.
    import pyarrow as pa
    from pyarrow import compute

    whole = pattern if f"(?P<{READ}>" in pattern else f"(?P<{READ}>{pattern})"
    texts = pa.array([text.encode("utf-8", "replace").decode()])
    (found,) = compute.extract_regex(texts, pattern=whole).to_pylist()
    return None if found is None else str(found[READ])


# --- words: the F1 of SQuAD -------------------------------------------------------------------

ARTICLES = re.compile(r"\b(a|an|the)\b")
WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def words(text: object) -> list[str]:
    """Returns the words that SQuAD's evaluation compares: in lower case, without ASCII punctuation
    and articles (Rajpurkar et al. 2016).

    >>> words("The Cat's  hat, a hat")
    ['cats', 'hat', 'hat']
    """
    return ARTICLES.sub(" ", str(text).lower().translate(WITHOUT_PUNCTUATION)).split()


def f1(text: str, one: Instance) -> Mark:
    """Harmonic mean of precision and recall of the answer's words, beside the best right answer."""
    given = words(text)
    return Mark(max(_f1(given, words(right)) for right in one.answers), " ".join(given))


def _f1(given: Sequence[str], right: Sequence[str]) -> float:
    if not given or not right:
        return float(given == right)
    common = (Counter(given) & Counter(right)).total()
    return 2 * common / (len(given) + len(right))


# --- numbers ----------------------------------------------------------------------------------

_CJK = "一-鿿぀-ヿ가-힣"
NUMBER = re.compile(
    # No part of a word or a longer number, but behind Chinese, Japanese and Korean characters.
    rf"(?<!(?![{_CJK}])[\w.])(?P<sign>(?<!\))[-+−–])?(?:[$€£¥￥] ?)?"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<power>[eE][-+]?[0-9]{1,3}(?![0-9]))?"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|万|亿)(?![a-z]))?",
    re.IGNORECASE,
)
SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "万": 10**4, "亿": 10**8,
}  # fmt: skip


def number(text: str, one: Instance, tolerance: float = 0.0) -> Mark:
    """1 where the answer's last number is a right one, or no further from it than the tolerance."""
    found, most = last_number(text), Decimal(str(tolerance))
    rights = (right for right in map(last_number, map(str, one.answers)) if right is not None)
    near = found is not None and any(
        found == right or abs(found - right) <= most for right in rights
    )
    return Mark(float(near), None if found is None else str(found))


def last_number(text: str) -> Decimal | None:
    """Returns the last number of a text; None where there is none."""
    last = None
    for found in NUMBER.finditer(text):  # not all at once: a text may be long
        last = found
    if last is None:
        return None
    sign = "-" if last["sign"] in ("-", "−", "–") else ""
    plain_number = Decimal(f"{sign}{last['digits'].replace(',', '')}{last['power'] or ''}")
    return plain_number * SCALES[last["scale"].lower()] if last["scale"] else plain_number


# --- choices ----------------------------------------------------------------------------------

MARKUP = str.maketrans("", "", "*_`#$")
LOOSE = ("case", "punctuation")


def choice(text: str, one: Instance) -> Mark:
    """1 where the letter that the answer names is that of a right choice."""
    choices = [str(of) for of in one.fields["choices"]]
    named = letter_named(text, choices)
    rights = {letter_of(right, choices) for right in one.answers}
    return Mark(float(named is not None and named in rights), named)


def letter_of(right: object, choices: Sequence[str]) -> str | None:
    """Returns the letter of a right answer, which is a letter or the text of one choice; None where
    it is neither, or the one of one choice and the other of another."""
    letters = string.ascii_uppercase[: len(choices)]
    pairs = zip(letters, choices, strict=True)
    return _only({letter for letter, of in pairs if str(right) in (letter, of)})


def letter_named(text: str, choices: Sequence[str]) -> str | None:
    """Returns the letter that an answer names; None where it names none, or several.

    The first of these that there is: the last letter that is boxed or stands in answer tags; the
    last that the answer claims, as in "the answer is B", "option B", "B is correct", "it is B." or
    "答案：B", by its letter or its choice's text; the letter with which lines begin, alone or
    before a sign such as ``)``, where all such lines name the same; the choice whose letter, in any
    case, or text the whole answer is. What is only asked ("is it A?") is not claimed.
    """
    letters = string.ascii_uppercase[: len(choices)]
    texts = {plain(of, LOOSE): letter for letter, of in zip(letters, choices, strict=True)}
    lines = [" ".join(line.translate(MARKUP).split()) for line in text.splitlines()]
    marked, claims = _marked(letters), _claims(letters)
    boxed = [match[1] or match[2] for line in lines for match in marked.finditer(line)]
    if boxed:
        return boxed[-1].upper()
    claimed = [letter for line in lines for letter in _claimed(line, claims, texts)]
    if claimed:
        return claimed[-1]
    begins = re.compile(rf"[(\[]?([{letters}])(?:[)\].:,]|$)")
    if begun := {one[1] for line in lines if (one := begins.match(line))}:
        return _only(begun)
    whole = plain(text, LOOSE)
    if len(whole) == 1 and whole.upper() in letters:
        return whole.upper()
    return texts.get(whole) if len(texts) == len(choices) else None


_ANSWER = r"(?:\b(?:answer|option|choice)|答案|选项|选择|选)"
_IS = r"(?: is| would be| must be| should be|是|为)?"
_SAID = (
    r"(?:\b(?:it is|it's|it’s|must be|should be|would be|i choose|i pick|i select|go with|therefore"
    r"|thus|so|hence|no)|所以|因此)"
)


@cache
def _marked(letters: str) -> re.Pattern[str]:
    """A letter in a box or between answer tags."""
    letter = rf"\(?([{letters}])\)?"
    box = rf"\\boxed ?\{{(?:\\text ?\{{)?{letter}\}}"
    return re.compile(rf"{box}|<answer> ?{letter}[.)]? ?</answer>", re.IGNORECASE)


@cache
def _claims(letters: str) -> tuple[re.Pattern[str], ...]:
    """Forms in which an answer claims a letter."""
    # "A" before a word in lower case is an article; with a question mark nothing is claimed.
    letter = rf"[(（\['\"“]?((?!A [a-z])[{letters}])(?![A-Za-z0-9_'’])(?![)）\]'\"”]?[?？])"
    small = rf"[(（\[]?([{letters.lower()}])(?![A-Za-z0-9_'’?])"
    ending = r"(?=[)）\].,;!。]{0,9}(?:$| because| since))"
    right = r" is (?:the )?(?:correct|right|best)\b(?![^.!。]{0,80}\?)"
    return (
        re.compile(rf"(?i:{_ANSWER}{_IS}) ?[:：=]? ?(?i:option |choice )?{letter}"),
        re.compile(rf"(?i:{_ANSWER}{_IS}) ?[:：=] ?{small}"),
        re.compile(rf"(?i:{_SAID})[,:：，]? ?(?i:option )?{letter}{ending}"),
        re.compile(rf"(?<![a-z] )\b([{letters}])[)\].]?{right}"),
    )


_CLAIMED_TEXT = re.compile(
    rf"(?i:{_ANSWER}(?:{_IS} ?[:：=]|{_IS})|\bit(?: is|'s|’s)) ?(.{{1,200}})$"
)


def _claimed(
    line: str, claims: Sequence[re.Pattern[str]], texts: Mapping[str, str]
) -> Iterator[str]:
    """Yields the letters that a line claims, in their order; by a choice's text where by none."""
    found = [match for claim in claims for match in claim.finditer(line)]
    for match in sorted(found, key=re.Match.start):
        yield match[1].upper()
    said = None if found else _CLAIMED_TEXT.search(line)
    if said and (letter := texts.get(plain(said[1], LOOSE))):
        yield letter


def _only(letters: Iterable[str]) -> str | None:
    found = list(letters)
    return found[0] if len(found) == 1 else None


SCORERS: dict[str, Callable[..., Mark]] = {
    "exact": exact,
    "contains": contains,
    "regex": regex,
    "choice": choice,
    "number": number,
    "f1": f1,
}
OPTIONS = {
    "exact": ("ignore",),
    "contains": ("ignore",),
    "regex": ("pattern", "ignore"),
    "number": ("tolerance",),
    "judge": ("judge_template", "scale"),
}
"""The keys of the config that each scorer takes."""
