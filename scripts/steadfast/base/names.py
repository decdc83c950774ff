"""Names that a user wrote, and how sentences show them."""

import difflib
import unicodedata
from collections.abc import Iterable, Sequence

LONGEST_SHOWN = 60  # characters


def suggestion(name: str, names: Iterable[str]) -> str:
    """A clause with the most similar of the valid names, or all of them where none is similar."""
    valid = sorted(names)
    if similar := difflib.get_close_matches(name, valid, n=1, cutoff=0.5):
        return f"did you mean {similar[0]!r}?"
    return f"available: {', '.join(valid)}" if valid else "none are available"


def first_names(names: Sequence[str], limit: int) -> str:
    """The first names for a sentence, and the number of further ones."""
    remainder = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{remainder}"


def quoted(value: object) -> str:
    """A value for a sentence, on one line and truncated where it is long.

    >>> quoted("a\\nb"), quoted(None), len(quoted("long" * 100))
    ("'a\\\\nb'", 'null', 60)
    """
    text = "null" if value is None else repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


# Categories of Unicode that a terminal acts on or does not show: control and format characters
# (those that turn the direction of writing among them), surrogates, private and unassigned ones.
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def escape_hidden(text: str) -> str:
    """A text with code points in place of hidden characters other than line breaks and tabs.

    >>> escape_hidden("a\\x1b[31mb\\u202ec\\nd")
    'a<U+001B>[31mb<U+202E>c\\nd'
    """
    chars = []
    for char in text:
        hidden = char not in "\n\t" and unicodedata.category(char) in HIDDEN
        chars.append(f"<U+{ord(char):04X}>" if hidden else char)
    return "".join(chars)
