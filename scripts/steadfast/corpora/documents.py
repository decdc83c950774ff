"""Published files with one text each, and texts in parts (``resources/corpora/published.yaml``)."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import facts

PUBLISHED = facts("corpora/published.yaml")
MARKER = re.compile(r"\[(SN|XSUM)\](.+)\[\1\]")
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
ESSAY_DATE = re.compile(rf"(?:{MONTHS}) [0-9]{{4}}")  # the first line of an essay
LINE_BREAKS = {"br": "\n", "p": "\n\n"}


def plain_text(text: str) -> Record:
    """The record of a file that contains only a text."""
    return {"text": text.strip()}


def marked_sections(text: str) -> Record:
    """The sections of an XSum article by the names above them, such as ``[SN]RESTBODY[SN]``;
    without the buttons' lines, which the hub's mirror lacks too."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if marker := MARKER.fullmatch(line.strip()):
            lines = sections.setdefault(marker[2], [])
        elif line.strip() and line.strip() not in PUBLISHED["buttons"]:
            lines.append(line)
    return {name: "\n".join(section) for name, section in sections.items()}


def essay_page(text: str) -> Record:
    """Title, date and text of an essay's page at paulgraham.com."""
    page = _EssayPage()
    page.feed(text)
    page.close()
    lines = [" ".join(line.split()) for line in "".join(page.parts["font"]).split("\n")]
    essay = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    title = " ".join("".join(page.parts["title"]).split())
    first, _, following = essay.partition("\n")
    if ESSAY_DATE.fullmatch(first):  # some essays have none
        return {"title": title, "date": first, "text": following.strip()}
    return {"title": title, "date": None, "text": essay}


class _EssayPage(HTMLParser):
    """The texts of a page's title and of its first ``<font>``, which contains the essay."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, list[str]] = {"title": [], "font": []}
        self._depth = {"title": 0, "font": 0, "script": 0}
        self._ended: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self._depth:
            self._depth[tag] += 1
        elif tag in LINE_BREAKS:
            self._add("font", LINE_BREAKS[tag])

    def handle_endtag(self, tag: str) -> None:
        if self._depth.get(tag):
            self._depth[tag] -= 1
            if not self._depth[tag]:
                self._ended.add(tag)

    def handle_data(self, data: str) -> None:
        if not self._depth["script"]:
            for tag in self.parts:
                self._add(tag, data.replace("\n", " "))

    def _add(self, tag: str, text: str) -> None:
        if self._depth[tag] and tag not in self._ended:
            self.parts[tag].append(text)


def joined(value: Any) -> str | None:
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
    texts = list(map(joined, parts))
    return None if None in texts else str(between.join(filter(None, texts)))


# The readers of files with one text, by the end of their names.
DOCUMENTS = {
    ".txt": plain_text,
    ".html": essay_page,
    ".summary": marked_sections,
    ".data": marked_sections,
}
