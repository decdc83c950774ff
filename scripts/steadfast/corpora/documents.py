"""Published files with one text each, and texts in parts (``resources/corpora/published.yaml``)."""

import re
from collections.abc import Mapping
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import facts

PUBLISHED = facts("corpora/published.yaml")
MARKER = re.compile(r"\[(SN|XSUM)\](.+)\[\1\]")


def plain_text(text: str) -> Record:
    """The record of a file that contains only a text."""
    return {"text": text.strip()}


def marked_sections(text: str) -> Record:
    """The sections of an XSum article by the names above them, such as ``[SN]RESTBODY[SN]``."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if marker := MARKER.fullmatch(line.strip()):
            lines = sections.setdefault(marker[2], [])
        # The hub's mirror lacks the buttons' lines too.
        elif line.strip() and line.strip() not in PUBLISHED["buttons"]:
            lines.append(line)
    return {name: "\n".join(section) for name, section in sections.items()}


def joined_parts(value: Any) -> str | None:
    """A text in parts as one text; None where it is no text.

    A list has one line for each item. The format of an object is the first in ``published.yaml``
    whose first part it has; parts that are missing or empty are left out.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = value
        between = "\n"
    elif isinstance(value, Mapping):
        form = next((form for form in PUBLISHED["parts"] if form["of"][0] in value), None)
        if form is None:
            return None
        parts = [value.get(part) or "" for part in form["of"]]
        between = form["between"]
    else:
        return None
    texts = list(map(joined_parts, parts))
    return None if None in texts else str(between.join(filter(None, texts)))


# The readers of files with one text, by the end of their names.
DOCUMENTS = {
    ".txt": plain_text,
    ".summary": marked_sections,
    ".data": marked_sections,
}
