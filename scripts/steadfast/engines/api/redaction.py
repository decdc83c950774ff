"""Secrets taken out of what a server says, before anything of it is parsed, cut, kept or shown."""

import re
import string
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MARK = "(key)"
SHORTEST = 8
"""Characters of a secret, at least: a shorter one, such as EMPTY or none, is a word that answers
may have, and protects nothing."""

WINDOW = 8
"""Letters and digits of a secret that follow one another, at least, where a part of it is found."""
PUBLIC = 10
"""Letters and digits at a secret's start that many have in common, such as sk-ant-api03."""
ESCAPES = r"\\+[ux](?:00)?([2-7][0-9a-f])|%(?:25)*([2-7][0-9a-f])"
"""Characters as JSON and URLs escape them, once and more than once."""
ESCAPED = re.compile(ESCAPES.encode(), re.IGNORECASE)
UNIT = re.compile(f"{ESCAPES}|([0-9a-z])".encode(), re.IGNORECASE)
UPPER, LOWER = string.ascii_uppercase.encode(), string.ascii_lowercase.encode()
TO_LOWER = bytes.maketrans(UPPER, LOWER)
NOISE = bytes({*range(256)} - {*UPPER, *LOWER, *string.digits.encode()})
WITHIN = re.compile(rb'[^"\\]{0,3}')
"""What may stand between two pieces that one mark replaces: not the end of a JSON string."""
SHORTEST_PIECE = 4
"""Letters and digits of such a piece, at least; fewer stand beside a part of a key by chance."""


class Redaction:
    """Replaces secrets by ``(key)``, however they are spelled.

    Found are the secret itself, its characters escaped as in JSON or a URL, each by itself and
    more than once, and its base64, also inside that of a longer text such as ``user:secret``; and
    in upper and lower case alike, in pieces with anything but letters and digits between them, and
    in hexadecimal digits, a part of it that no other text would have.

    Args:
        secrets: those of fewer than ``SHORTEST`` characters are passed over.

    >>> Redaction(["sk-12/345"]).text("Bearer sk-12/345, sk-12%2F345, sk-12\\\\/345")
    'Bearer (key), (key), (key)'
    >>> Redaction(["sk-Q7wEr5TyUi9OpAs"]).text("***ER5TYUI9OP***; 45723554 79556939 4F70")
    '***(key)***; (key)'
    """

    def __init__(self, secrets: Iterable[str]):
        long = [secret for secret in secrets if len(secret) >= SHORTEST]
        pieces = dict.fromkeys(piece for secret in long for piece in _pieces(secret))
        patterns = ["".join(map(_spellings, piece)) for piece in pieces]
        self._patterns = [re.compile(pattern.encode()) for pattern in patterns]
        forms = [form for secret in long for form in _forms(secret)]
        # Each window has a hint within it: most texts have none, and are looked through quickly.
        self._hints = {hint for form in forms for hint in form.hints}
        self._windows = {window.translate(TO_LOWER) for form in forms for window in form.windows}
        self._parts = {part for form in forms for part in _parts(form.text, form.size)}

    def text(self, text: str) -> str:
        """The text without the secrets."""
        return self.content(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def content(self, content: bytes) -> bytes:
        """A body or a file without the secrets, in UTF-8."""
        for pattern in self._patterns:
            content = pattern.sub(MARK.encode(), content)
        lines = content.replace(b"\\n", b"  ").replace(b"\\r", b"  ")
        folded = ESCAPED.sub(_unescaped, lines).translate(TO_LOWER, NOISE)
        if not any(hint in folded for hint in self._hints):
            return content
        return self._masked(content, lines) if any(w in folded for w in self._windows) else content

    def _masked(self, content: bytes, lines: bytes) -> bytes:
        """The content without the secrets, of which it has parts."""
        units = [(unit, char) for unit in UNIT.finditer(lines) if (char := _character(unit))]
        folded = b"".join(char for _, char in units)
        secret = bytearray(len(units))
        for part in self._parts:
            start = folded.find(part)
            while start >= 0:
                secret[start : start + len(part)] = b"\1" * len(part)
                start = folded.find(part, start + 1)
        pieces: list[list[int]] = []  # start, end and length of each
        for (unit, _), hidden, before in zip(units, secret, b"\0" + secret, strict=False):
            if hidden and before and WITHIN.fullmatch(content, pieces[-1][1], unit.start()):
                pieces[-1][1:] = unit.end(), pieces[-1][2] + 1
            elif hidden:
                pieces.append([*unit.span(), 1])
        shown, done = [], 0
        for start, end, length in pieces:
            if length >= SHORTEST_PIECE:
                shown += [content[done:start], MARK.encode()]
                done = end
        return b"".join([*shown, content[done:]])


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1] or match[2], 16)])


def _character(unit: re.Match[bytes]) -> bytes:
    """The letter or digit of a unit, in lower case; nothing for another escaped character."""
    return (unit[3] or _unescaped(unit)).translate(TO_LOWER, NOISE)


class _Form(NamedTuple):
    """A way to write a secret, in letters and digits of lower case."""

    text: bytes
    size: int
    first: int
    windows: Sequence[bytes]

    @property
    def hints(self) -> list[bytes]:
        """Of which any part has one."""
        return _parts(self.text, self.size // 2 + 1, self.first, self.size // 2)


def _forms(secret: str) -> Iterator[_Form]:
    """Its letters and digits, and those of its hexadecimal digits and its base64."""
    plain = secret.encode().translate(None, NOISE)
    first = min(PUBLIC, len(plain) // 3)
    drawn = [part for part in _parts(plain, WINDOW, first) if _is_drawn(part)]
    whole = [plain] if len(plain) >= 1.5 * WINDOW else []
    yield _Form(plain.translate(TO_LOWER), WINDOW, first, [*drawn, *whole])
    size, digits = 2 * WINDOW, secret.encode().hex().encode()
    hidden = 2 * min(PUBLIC, len(secret) // 3)
    yield _Form(digits, size, hidden, _parts(digits, size, hidden))
    for encoded in _base64(secret):
        text = encoded.encode().translate(TO_LOWER, NOISE)
        yield _Form(text, size, 0, _parts(text, size))


def _parts(whole: bytes, size: int, first: int = 0, step: int = 1) -> list[bytes]:
    return [whole[start : start + size] for start in range(first, len(whole) - size + 1, step)]


def _is_drawn(part: bytes) -> bool:
    """Whether a part of a key is none of a word or number: its characters change kind."""
    kinds = ["0" if byte in string.digits.encode() else byte in UPPER for byte in part]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes > 1 or (changes == 1 and kinds.count("0") > 2)


def _pieces(secret: str) -> Iterator[str]:
    """The secret, and what of its base64 is the same whatever stands around it."""
    yield secret
    for inner in _base64(secret):
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def _base64(secret: str) -> Iterator[str]:
    for before in range(3):
        encoded = b64encode(b"\0" * before + secret.encode()).decode().rstrip("=")
        # The first and the last character may hold bits of a neighbour.
        whole = len(encoded) if len(encoded) % 4 == 0 else len(encoded) - 1
        yield encoded[before and before + 1 : whole]


def _spellings(character: str) -> str:
    """A pattern of one character: as it is, or escaped; a literal comes first, which is fast."""
    plain = "[ +]" if character == " " else re.escape(character)
    percent = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in character.encode())
    return rf"(?:{plain}|\\\\*(?:{plain}|u(?i:{ord(character):04x}))|{percent})"
