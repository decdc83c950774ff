"""Lists of strings as Python writes them, read without evaluating anything."""

import re

STRING = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
TOKEN = re.compile(rf"\s*(?:({STRING})|([\[\],#]))")


def string_list(text: str) -> list[str] | None:
    """The strings of a flat list literal; None if the text is anything else.

    As in Python, strings next to each other are one, a comma may follow the last, and a comment
    may follow the list. A string with a backslash is not read.
    """
    elements: list[list[str]] = []
    place, after = 0, ""
    while token := TOKEN.match(text, place):
        place = token.end()
        string, sign = token.groups()
        if string is not None and after in ("[", ","):
            elements.append([string[1:-1]])
        elif string is not None and after == "string":
            elements[-1].append(string[1:-1])
        elif sign == "#" and after == "]":
            place = len(text)
            break
        elif (sign, after) not in GRAMMAR:
            return None
        after = sign or "string"
    whole = after == "]" and not text[place:].strip()
    return ["".join(parts) for parts in elements] if whole else None


GRAMMAR = {("[", ""), (",", "string"), ("]", "["), ("]", ","), ("]", "string")}
"""Signs of a list, each with what may stand before it."""
