"""The sha256 of files, cached from run to run until a file's inode, size or times change."""

import atexit
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json, file_sha256, read_json, write_text
from steadfast.base.tokens import cache_folder, fingerprint

# A file that changed later than this ago may change again without a change of its times.
SETTLED_SECONDS = 2


class Checksums:
    """Cached checksums of files that are checked often, such as those of a results folder.

    A file is read again once its inode, size or times change. As in git, these include the time of
    the inode's last change (ctime), which no program can set, so that a file replaced by one with
    older times is noticed. Each name has a file of its own in the user's cache.
    """

    def __init__(self, name: str):
        self._path = cache_folder() / f"checksums-{sha256(name.encode()).hexdigest()[:16]}.json"
        self._cached: dict[str, list[object]] = {}
        self._used: dict[str, list[object]] = {}
        with suppress(UserError, msgspec.ValidationError):
            self._cached = msgspec.convert(read_json(self._path), dict[str, list[object]])

    def __call__(self, path: Path) -> str:
        """Returns the sha256 of a file's bytes."""
        key = str(path.absolute())
        with suppress(FileNotFoundError):
            # Before the file is read: a change meanwhile shows as other times at the next look.
            status = path.stat()
            stamp = [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
            for checksums in (self._used, self._cached):
                if checksums.get(key, [])[:-1] == stamp:
                    self._used[key] = checksums[key]
                    return str(checksums[key][-1])
            checksum = file_sha256(path)
            if time.time_ns() - status.st_ctime_ns > SETTLED_SECONDS * 10**9:
                self._used[key] = [*stamp, checksum]
            return checksum
        return file_sha256(path)  # whose error names the missing file

    def keep(self) -> None:
        """Writes the checksums that were used, where the user's cache can be written."""
        if self._used != self._cached:
            with suppress(OSError):
                write_text(self._path, canonical_json(self._used))


@cache
def _named() -> Checksums:
    """The checksums of files that configs name."""
    checksums = Checksums("files that configs name")
    atexit.register(checksums.keep)
    return checksums


def contents(paths: Iterable[str]) -> list[list[str | None]]:
    """The files and folders that a config names, each with its sha256; None: it is missing."""
    return [[path, _content(Path(path))] for path in paths]


def _content(path: Path) -> str | None:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return fingerprint(canonical_json(contents(map(str, files))))
    return _named()(path) if path.is_file() else None
