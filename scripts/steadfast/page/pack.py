"""The page's one file: what it shows, compressed, with the script that unpacks and shows it."""

import base64
import hashlib
import zlib
from collections.abc import Iterable
from html import escape
from string import Template

from steadfast.base.files import json_line, read_text
from steadfast.base.resources import resource

STYLE = ("page.css",)
SCRIPTS = ("unpack.js", "elements.js", "tables.js", "run.js", "samples.js", "main.js")
LEVEL = 6
"""Of compression; the highest takes twice as long for a third of a per cent."""


class Full(Exception):
    """What was packed has more characters than it may."""


class Pack:
    """Pieces of data by name, each compressed by itself; more than ``most`` raise ``Full``."""

    def __init__(self, most: int | None = None):
        self._most = most
        self.characters = 0
        self.pieces: dict[str, str] = {}

    def add(self, name: str, value: object) -> None:
        """Adds a piece: a plain value as JSON, or a text."""
        text = value if isinstance(value, str) else json_line({"value": value})
        piece = base64.b64encode(zlib.compress(text.encode("utf-8"), LEVEL)).decode("ascii")
        self.pieces[name] = piece
        self.characters += len(piece)
        if self._most is not None and self.characters > self._most:
            raise Full


def page(title: str, packs: Iterable[Pack]) -> str:
    """Returns the page's HTML, whose policy lets its own script run and nothing be fetched."""
    folder = resource("page")
    script = "".join(read_text(folder / name) for name in SCRIPTS)
    style = "".join(read_text(folder / name) for name in STYLE)
    pieces = {name: piece for pack in packs for name, piece in pack.pieces.items()}
    data = "\n".join(
        f'<script type="text/plain" data-piece="{escape(name)}">{piece}</script>'
        for name, piece in pieces.items()
    )
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return Template(read_text(folder / "page.html")).substitute(
        title=escape(title), policy=policy, style=style, script=script, data=data
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
