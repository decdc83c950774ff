"""Names that a user wrote, and how sentences show them."""

import difflib
from collections.abc import Iterable

LONGEST_SHOWN = 60  # characters


def nearest(name: str, known: Iterable[str]) -> str:
    """A clause that names the nearest of the known names, or all where none is near."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"the known ones are {', '.join(known)}" if known else "there are none"


def shown(value: object) -> str:
    """A value as a sentence shows it, on one line and cut where it is long.

    >>> shown("a\\nb"), shown(None), len(shown("long" * 100))
    ("'a\\\\nb'", 'null', 60)
    """
    text = "null" if value is None else repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
