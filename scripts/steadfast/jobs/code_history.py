"""Which modules changed since files were made, so that a run can say why it makes them again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

import msgspec

from steadfast.base.errors import UserError
from steadfast.base.files import read_json, write_json
from steadfast.base.names import some
from steadfast.jobs.digests import parts_of

PATH = "logs/code.json"
"""Below the results folder: the code of each input_digest, and the parts of each code."""
SHOWN = 3
"""Modules that a line names, at most."""


class _Kept(TypedDict):
    """What the file holds: the digest of each input_digest's code, and the parts of each code."""

    input_digests: dict[str, str]
    parts: dict[str, dict[str, str]]


class CodeHistory:
    """The code that the files of a results folder were made by.

    Provenances have the input digest of a file; this has the digest of the code of
    each input_digest, and the digests of the modules and data files that it consists of.
    """

    def __init__(self, results: Path):
        self._path = results / PATH
        self._kept: _Kept = {"input_digests": {}, "parts": {}}
        with suppress(UserError, msgspec.ValidationError):  # a damaged file says nothing
            self._kept = msgspec.convert(read_json(self._path), _Kept)

    def changed(self, input_digest: object, code: str) -> list[str]:
        """Modules and data files of a job's code that differ from those of a file."""
        before = self._kept["parts"].get(self._kept["input_digests"].get(str(input_digest), ""))
        now = parts_of(code)
        if before is None or not now:
            return []
        names = sorted(before.keys() | now.keys())
        return [name for name in names if before.get(name) != now.get(name)]

    def keep(self, steps: Iterable[tuple[str, str]]) -> None:
        """Adds the input digests of a run's jobs, each with its code, and writes all."""
        for input_digest, code in steps:
            if parts := parts_of(code):
                digest = code.rpartition(" ")[2]
                self._kept["input_digests"][input_digest] = digest
                self._kept["parts"][digest] = parts
        with suppress(OSError):  # nothing rests on it but a line that explains
            write_json(self._path, self._kept)


def explained(rule: str, changed: Iterable[str]) -> str:
    """Returns the line about a rule whose code changed.

    >>> explained("scores", ["a.py", "b.py", "c.py", "d.yaml"])
    'scores: made again since a.py, b.py, c.py and 1 more changed'
    """
    return f"{rule}: made again since {some(list(changed), SHOWN)} changed"
