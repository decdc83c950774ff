"""Text of any origin, such as a model's answer, as a terminal may be given it."""

import unicodedata

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Categories of Unicode that a terminal acts on or does not show: control and format characters
(those that turn the direction of writing among them), surrogates, private and unassigned ones."""


def visible(text: str) -> str:
    """A text whose hidden characters, but for ends of lines and tabs, are shown by code points.

    >>> visible("a\\x1b[31mb\\u202ec\\nd")
    'a<U+001B>[31mb<U+202E>c\\nd'
    """
    return "".join(
        f"<U+{ord(char):04X}>"
        if char not in "\n\t" and unicodedata.category(char) in HIDDEN
        else char
        for char in text
    )
