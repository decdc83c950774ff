"""The sentences of a page of Markdown, and how many words each has."""

import re
from collections.abc import Iterator

FENCE = re.compile(r"^ *```.*?^ *```", re.M | re.S)
BULLET = re.compile(r"([-*]|\d+\.) ")
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")
END = re.compile(r"""(?<=[\w)`*%…"”][.!?])["”’)*]*\s+| · """)  # of an index too
WORD = re.compile(r"\w[\w'’.,-]*")


def blocks(page: str) -> Iterator[str]:
    """Yields the paragraphs, items of lists and cells of tables; headings and code are none."""
    block: list[str] = []
    for line in [*FENCE.sub("\n", page).splitlines(), ""]:
        text = line.strip()
        if text.startswith("|"):
            yield from (cell.strip() for cell in CELLS.split(text))
        elif text and not text.startswith("#") and not BULLET.match(text):
            block.append(text)
        else:
            yield " ".join(block)
            block = [BULLET.sub("", text, count=1)] if BULLET.match(text) else []


def sentences(page: str) -> Iterator[tuple[int, str]]:
    """Yields each sentence with its number of words, a piece of code being one."""
    for block in blocks(page):
        plain = CODE.sub("`c`", LINK.sub(r"\1", block))
        for sentence in END.split(plain):
            count = len(WORD.findall(sentence))
            if count > 2:
                yield count, sentence
