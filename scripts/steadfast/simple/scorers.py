"""The scorers that a config names: they compare a response with the reference answers.

Each takes a model's text and its instance, and returns the best mark by any reference answer. All
are bounded in time for any text; the user's own expressions are RE2's, whose time is linear.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from steadfast.simple.extraction import last_number, letter_named, number_named, only_letter, plain
from steadfast.simple.instance import Instance, Mark

READ = "answer"  # name of an expression's group that is read
NOTHING_READ = Mark(0.0, None, unread=True)


# --- texts ------------------------------------------------------------------------------------


def exact(text: str, instance: Instance, ignore: Sequence[str] = ()) -> Mark:
    """1 where the whole answer is a right one, as ``plain`` gives both."""
    response = plain(text, ignore)
    is_right = any(response == plain(right, ignore) for right in instance.answers)
    return Mark(float(is_right), response)


def contains(text: str, instance: Instance, ignore: Sequence[str] = ()) -> Mark:
    """1 where a right answer, of which something is left, stands anywhere, within a word too."""
    response = plain(text, ignore)
    for right in instance.answers:
        sought = plain(right, ignore)
        if sought and sought in response:
            return Mark(1.0, str(right))
    return Mark(0.0)


def regex(
    text: str, instance: Instance, pattern: str | None = None, ignore: Sequence[str] = ()
) -> Mark:
    """1 where what the pattern first finds is a right answer, as ``exact`` compares them.

    Without a pattern the right answers are patterns, one of which has to be found anywhere.
    """
    if pattern is None:
        patterns = map(str, instance.answers)
        matching = [right for right in patterns if first_match(right, text) is not None]
        return Mark(float(bool(matching)), matching[0] if matching else None)
    read = first_match(pattern, text)
    return NOTHING_READ if read is None else exact(read, instance, ignore)._replace(unread=False)


def first_match(pattern: str, text: str) -> str | None:
    """Returns what a pattern first finds: its group ``(?P<answer>…)``, or all of it.

    Raises:
        ValueError: RE2 does not take the pattern.
    """
    # Of the libraries that the project has, the one whose matching takes linear time.
    import pyarrow as pa
    from pyarrow import compute

    grouped = pattern if f"(?P<{READ}>" in pattern else f"(?P<{READ}>{pattern})"
    texts = pa.array([text.encode("utf-8", "replace").decode()])
    (extracted,) = compute.extract_regex(texts, pattern=grouped).to_pylist()
    return None if extracted is None else str(extracted[READ])


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


def f1(text: str, instance: Instance) -> Mark:
    """Harmonic mean of precision and recall of the answer's words, beside the best right answer."""
    response = words(text)
    best = max(_f1(response, words(right)) for right in instance.answers)
    return Mark(best, " ".join(response))


# With c words in common, precision is c/n and recall c/m: 2PR/(P + R) = 2c/(n + m).
def _f1(response: Sequence[str], right: Sequence[str]) -> float:
    if response == right:
        return 1.0
    common = (Counter(response) & Counter(right)).total()
    return 2 * common / (len(response) + len(right))


# --- what an answer names ---------------------------------------------------------------------


def number(text: str, instance: Instance, tolerance: float = 0.0) -> Mark:
    """1 where the number of the answer is a right one, or no further from it than the tolerance."""
    named = number_named(text)
    largest = Decimal(str(tolerance))
    if named is None:
        return NOTHING_READ
    numbers = map(last_number, map(str, instance.answers))
    rights = [right for right in numbers if right is not None]
    near = any(abs(named - right) <= largest for right in rights)
    return Mark(float(near), str(named), unread=False)


def choice(text: str, instance: Instance) -> Mark:
    """1 where the letter that the answer names is that of a right choice."""
    choices = list(map(str, instance.fields["choices"]))
    named = letter_named(text, choices)
    if named is None:
        return NOTHING_READ
    rights = {letter_of(right, choices) for right in instance.answers}
    return Mark(float(named in rights), named, unread=False)


def letter_of(right: object, choices: Sequence[str]) -> str | None:
    """Returns the letter of a right answer, which is a letter or a choice's text; None where it is
    neither, or the letter of one choice and the text of another."""
    named = set()
    for letter, choice in zip(string.ascii_uppercase, choices, strict=False):
        if str(right) in (letter, choice):
            named.add(letter)
    return only_letter(named)


SCORERS: dict[str, Callable[..., Mark]] = {
    "exact": exact,
    "contains": contains,
    "regex": regex,
    "choice": choice,
    "number": number,
    "f1": f1,
}
# The keys of the config that each scorer takes.
OPTIONS = {
    "exact": ("ignore",),
    "contains": ("ignore",),
    "regex": ("pattern", "ignore"),
    "number": ("tolerance",),
    "judge": ("judge_template", "scale"),
}
