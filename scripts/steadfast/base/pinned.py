"""Released files, fetched at a pinned revision and checked."""

import hashlib

from steadfast.base.errors import UserError
from steadfast.base.files import Settings

MOST_BYTES = 256 * 1024 * 1024  # of a file whose size is not known


def fetch(source: Settings, alternative: str) -> bytes:
    """A released file, checked.

    Its source has ``url``, ``sha256`` or ``git_blob`` (git's id of the content), and optionally
    ``bytes`` (the size) and ``headers`` of the request. ``alternative`` is what a user can do
    without network.
    """
    content = download(source, alternative)
    check(content, source, source["url"], f"try again, or {alternative}")
    return content


def check(content: bytes, source: Settings, origin: str, advice: str) -> None:
    """Raises a ``UserError`` where the content from a URL or file is not the pinned one."""
    kind = "git_blob" if "git_blob" in source else "sha256"
    actual = git_blob(content) if kind == "git_blob" else hashlib.sha256(content).hexdigest()
    if actual != source[kind]:
        raise UserError(f"{origin}: its {kind} {actual} is not the pinned {source[kind]}; {advice}")


def git_blob(content: bytes) -> str:
    """git's id of a file with that content, 40 hexadecimal digits."""
    # git's format of an object: its kind and size, a null byte, the content.
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def download(source: Settings, alternative: str) -> bytes:
    """An unchecked file, by a source's ``url`` and ``headers``."""
    # Imported here, since most users of this module only check files.
    import urllib.request
    from http.client import HTTPException

    url = source["url"]
    limit = source.get("bytes", MOST_BYTES) + 1  # one more, so that a longer file fails the check
    try:
        request = urllib.request.Request(url, headers=dict(source.get("headers", {})))
        with urllib.request.urlopen(request, timeout=60) as reply:
            content: bytes = reply.read(limit)
            return content
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UserError(f"{url}: could not be fetched ({reason}); {alternative}") from None
