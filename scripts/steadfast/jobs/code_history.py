"""What changed since files were made, to explain why a run makes them again: which modules, or
else settings or inputs."""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

import msgspec

from steadfast.base.errors import UserError
from steadfast.base.files import read_json, write_json
from steadfast.base.names import first_names
from steadfast.jobs.digests import parts_of

# Below the results folder: the code of each input digest, and the parts of each code.
PATH = "logs/code.json"
# Maximum modules that a line names.
SHOWN = 3


class _Kept(TypedDict):
    """The file: the code digest of each input digest, and the parts of each code digest."""

    input_digests: dict[str, str]
    parts: dict[str, dict[str, str]]


def explain_changes(
    results: Path, outdated: Iterable[tuple[str, object, str]], steps: Iterable[tuple[str, str]]
) -> list[str]:
    """A line on each rule whose files are made again, with what changed since they were made.

    Provenances have the input digest of a file (``jobs.input_digests``). A file in the results
    folder has the code digest of each input digest, and the modules and data files of each code.

    Args:
        results: the results folder.
        outdated: rule, recorded input digest and present code of files that are made again.
        steps: input digest and code of all files of this run, which are kept.
    """
    kept: _Kept = {"input_digests": {}, "parts": {}}
    with suppress(UserError, msgspec.ValidationError):  # a damaged file is ignored
        kept = msgspec.convert(read_json(results / PATH), _Kept)
    changed: dict[str, set[str]] = defaultdict(set)
    for rule, input_digest, code in outdated:
        before = kept["parts"].get(kept["input_digests"].get(str(input_digest), ""))
        now = parts_of(code)
        if before and now:
            changed[rule].update(name for name, _ in before.items() ^ now.items())
    for step_digest, code in steps:
        if parts := parts_of(code):
            code_digest = code.rpartition(" ")[2]
            kept["input_digests"][step_digest] = code_digest
            kept["parts"][code_digest] = parts
    with suppress(OSError):  # only an explanation depends on it
        write_json(results / PATH, kept)
    lines = []
    for rule, names in changed.items():
        reason = first_names(sorted(names), SHOWN) if names else "settings or input files"
        lines.append(f"{rule}: made again since {reason} changed")
    return lines
