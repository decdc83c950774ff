"""Removes secrets from a server's replies before these are parsed, shortened, kept or shown."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator

MARK = "(key)"
# Minimum characters of a secret: a shorter one, such as EMPTY or none, is a word that responses may
# contain, and protects nothing.
SHORTEST = 8


class Redaction:
    """Replaces secrets by ``(key)``.

    It replaces the secret itself, with any of its characters escaped (also repeatedly) as in JSON
    or a URL, and its base64 encoding, also within that of a longer text such as ``user:secret``. A
    secret that is disguised on purpose, or a part of one, is not replaced.

    Args:
        secrets: those of fewer than ``SHORTEST`` characters are ignored.

    >>> Redaction(["sk-12/345"]).text("Bearer sk-12/345, sk-12%2F345, sk-12\\\\/345")
    'Bearer (key), (key), (key)'
    """

    def __init__(self, secrets: Iterable[str]):
        encodings: dict[str, None] = {}  # in order, each once
        for secret in secrets:
            if len(secret) >= SHORTEST:
                encodings |= dict.fromkeys(_encodings(secret))
        self._patterns: list[re.Pattern[bytes]] = []
        for encoding in encodings:
            pattern = "".join(map(_spellings, encoding))
            self._patterns.append(re.compile(pattern.encode()))

    def text(self, text: str) -> str:
        """The text without the secrets."""
        return self.content(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def content(self, content: bytes) -> bytes:
        """A body or a file without the secrets, in UTF-8."""
        for pattern in self._patterns:
            content = pattern.sub(MARK.encode(), content)
        return content


def _encodings(secret: str) -> Iterator[str]:
    """The secret, and the parts of its base64 that do not depend on the text around it."""
    yield secret
    for before in range(3):
        encoded = b64encode(b"\0" * before + secret.encode()).decode().rstrip("=")
        # The first and the last character may contain bits of a neighbour.
        end = len(encoded) if len(encoded) % 4 == 0 else len(encoded) - 1
        inner = encoded[before and before + 1 : end]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def _spellings(character: str) -> str:
    """A pattern of one character, plain or escaped; the plain one comes first, which is fast."""
    plain = "[ +]" if character == " " else re.escape(character)
    percent = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in character.encode())
    return rf"(?:{plain}|\\\\*(?:{plain}|u(?i:{ord(character):04x}))|{percent})"
