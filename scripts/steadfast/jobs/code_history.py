"""Which modules changed since files were made, to explain why a run makes them again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

import msgspec

from steadfast.base.errors import UserError
from steadfast.base.files import read_json, write_json
from steadfast.base.names import some
from steadfast.jobs.digests import parts_of

# Below the results folder: the code of each input digest, and the parts of each code.
PATH = "logs/code.json"
# Maximum modules that a line names.
SHOWN = 3


class _Kept(TypedDict):
    """The file: the code digest of each input digest, and the parts of each code digest."""

    input_digests: dict[str, str]
    parts: dict[str, dict[str, str]]


class CodeHistory:
    """The code that the files of a results folder were made by.

    Provenances have the input digest of a file (``jobs.input_digests``). This has the code digest
    of each input digest, and the digests of the modules and data files that it consists of.
    """

    def __init__(self, results: Path):
        self._path = results / PATH
        self._kept: _Kept = {"input_digests": {}, "parts": {}}
        with suppress(UserError, msgspec.ValidationError):  # a damaged file is ignored
            self._kept = msgspec.convert(read_json(self._path), _Kept)

    def changed(self, input_digest: object, code: str) -> list[str]:
        """Modules and data files of a job's code that differ from those that made a file."""
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
        with suppress(OSError):  # only an explanation depends on it
            write_json(self._path, self._kept)


def explained(rule: str, changed: Iterable[str]) -> str:
    """The line about a rule whose code changed.

    >>> explained("scores", ["a.py", "b.py", "c.py", "d.yaml"])
    'scores: made again since a.py, b.py, c.py and 1 more changed'
    """
    return f"{rule}: made again since {some(list(changed), SHOWN)} changed"
