"""Lists of strings as Python writes them, read without evaluating anything."""

import re

STRING = "|".join(
    rf"{quote}{{3}}[^{quote}\\]*+{quote}{{3}}|{quote}(?!{quote}{{2}})[^{quote}\\\r\n]*+{quote}"
    for quote in "'\""
)
BLANK = re.compile(r"(?:[ \t\f\r\n]++|#[^\r\n]*+)*+")  # Python refuses other white space
TOKEN = re.compile(rf"{BLANK.pattern}(?:({STRING})|([\[\],]))")
NO_SOURCE = re.compile("[\0\ud800-\udfff]")  # what no Python code may hold


def string_list(text: str) -> list[str] | None:
    """The strings of a flat list literal; None if the text is anything else.

    As in Python, strings next to each other are one, a comma may follow the last, and comments
    and blanks may stand anywhere between, but no ideographic or no-break space. A string with a
    backslash is not read.
    """
    if NO_SOURCE.search(text):
        return None
    elements: list[list[str]] = []
    place, after = 0, ""
    while token := TOKEN.match(text, place):
        place = token.end()
        string, sign = token.groups()
        if string is not None and after in ("[", ","):
            elements.append([string.strip(string[0])])
        elif string is not None and after == "string":
            elements[-1].append(string.strip(string[0]))
        elif (sign, after) not in GRAMMAR:
            return None
        after = sign or "string"
    whole = after == "]" and BLANK.fullmatch(text, place)
    return ["".join(parts) for parts in elements] if whole else None


GRAMMAR = {("[", ""), (",", "string"), ("]", "["), ("]", ","), ("]", "string")}
"""Signs of a list, each with what may stand before it."""
