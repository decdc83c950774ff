"""What files were made from, and their checksums, in an identity beside them, to be checked."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from os.path import isfile
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json, file_sha256, read_json, write_json

IDENTITY = ".identity.json"
OF_ITS_FILES = frozenset({"lineage", "settings", "inputs", "sha256", "statuses", "empty", "tokens"})
"""What an identity says of the files beside it, and not of who made them."""
IN_LINEAGE = frozenset({"lineage", "code", "made_from", "measured_from"})
"""Params that a lineage is made of."""
OTHER = "made from other settings, data or code than the config asks for"

Checksum = Callable[[Path], str]
"""Gives the sha256 of a file."""


class State(Enum):
    """How files stand to what a config wants: one is missing; they are what it wants, and as they
    were made; they were made from something else, or nothing says from what; they are what it
    wants, but changed since they were made."""

    ABSENT, CURRENT, OTHER, EDITED = range(4)


@dataclass(frozen=True)
class Seal:
    """Files that one job makes and others read.

    Attributes:
        lineage: that they have, or must have (``jobs.lineage.Step``).
        identity: file that says what they were made from.
        files: the files, or the folder that holds them.
        settings: digest of what else the job was given; empty where the lineage has it all.
        inputs: files below the results folder that they are made of.
        results: folder of all results.
    """

    lineage: str
    identity: Path
    files: tuple[Path, ...]
    settings: str = ""
    inputs: tuple[Path, ...] = ()
    results: Path = Path()

    @classmethod
    def beside(cls, file: Path, lineage: str, **further: Any) -> "Seal":
        """The seal of one file, whose identity is named after it."""
        return cls(lineage, file.with_suffix(IDENTITY), (file,), **further)

    @property
    def record(self) -> Record:
        """What an identity holds of it."""
        sums = {self._name(path): file_sha256(path) for path in _each(self.files)}
        made: Record = {"lineage": self.lineage, "sha256": sums}
        if self.settings:
            made["settings"] = self.settings
        if self.inputs:
            names = {os.path.relpath(path, self.results): path for path in _each(self.inputs)}
            made["inputs"] = {name: file_sha256(path) for name, path in sorted(names.items())}
        return made

    def write(self) -> None:
        """Writes an identity that holds no more."""
        write_json(self.identity, self.record)

    @property
    def is_written(self) -> bool:
        """Whether an identity says just this."""
        return _read(self.identity) == self.record

    @property
    def known_lineage(self) -> object:
        """The lineage that the identity names; None where it names none."""
        return _read(self.identity).get("lineage")

    @property
    def known_files(self) -> list[str]:
        """The names of the files that the identity has checksums of, in its folder."""
        return [name for name in _read(self.identity).get("sha256", {}) if name == Path(name).name]

    @property
    def names_lineage(self) -> bool:
        """Whether the files are there and their identity says that they have this lineage."""
        return all(path.exists() for path in self.files) and self.known_lineage == self.lineage

    def state(self, checksum: Checksum) -> State:
        """Returns how the files stand to what they must be; the identity is not just believed."""
        if not all(path.exists() for path in self.files):
            return State.ABSENT
        known = _read(self.identity)
        if known.get("lineage") != self.lineage or known.get("settings", "") != self.settings:
            return State.OTHER
        if any(checksum(path) != made for path, made in _inputs(known, self.results)):
            return State.OTHER
        sums = known["sha256"]
        named = all(path.is_dir() or self._name(path) in sums for path in self.files)
        made = {self.identity.parent / name: made for name, made in sums.items()}
        if not (named and all(map(isfile, made))):
            return State.OTHER
        unchanged = all(checksum(path) == made[path] for path in made)
        return State.CURRENT if unchanged else State.EDITED

    def check(self) -> None:
        """Raises a ``UserError`` where the files are not what was made, or not what is wanted."""
        if not _read(self.identity):
            raise UserError(
                f"{self.identity}: it does not say what {self.files[0]} was made from; remove "
                "both to have them made again"
            )
        self.check_unchanged(file_sha256)
        if self.known_lineage != self.lineage:
            raise UserError(
                f"{self.files[0]}: {OTHER}, by {self.identity}; run the workflow with this config, "
                "which makes it again"
            )

    def check_unchanged(self, checksum: Checksum) -> None:
        """Raises a ``UserError`` where a file has changed, which says how to accept it."""
        sums = _read(self.identity).get("sha256", {})
        for path in _each(self.files):
            found = checksum(path)
            if found != sums.get(self._name(path)):
                raise UserError(
                    f"{path}: changed since it was made, by the sha256 in {self.identity}; remove "
                    f"it to have it made again, or put {found} there to accept the change"
                )

    def check_inputs(self, checksum: Checksum) -> None:
        """Raises a ``UserError`` where a file that these were made with has changed, or one that
        such a file was made with, and so on to the data."""
        pending, looked_at = [(self.files[0], self.identity)], {self.identity}
        while pending:
            made_file, identity = pending.pop()
            for path, made in _inputs(_read(identity), self.results):
                if checksum(path) != made:
                    raise UserError(
                        f"{made_file}: made with another {path} than there is now; run its "
                        "workflow again, which makes it anew"
                    )
                # A file has an identity of its own, or the files of its folder have one together.
                for further in (path.with_suffix(IDENTITY), path.with_name(IDENTITY[1:])):
                    if further not in looked_at:
                        looked_at.add(further)
                        pending.append((path, further))

    def _name(self, path: Path) -> str:
        return os.path.relpath(path, self.identity.parent)


def _read(identity: Path) -> Record:
    """What an identity holds; nothing where it is missing or damaged."""
    with suppress(UserError):
        known = read_json(identity)
        if isinstance(known, dict) and isinstance(known.get("sha256"), dict):
            return known
    return {}


def _inputs(known: Record, results: Path) -> list[tuple[Path, object]]:
    """The files that an identity names as inputs and that are there, each with its sha256 then.

    ``isfile`` is false of a name that no file system takes too, where ``Path.is_file`` raises.
    """
    inputs = known.get("inputs", {})
    named = inputs.items() if isinstance(inputs, dict) else ()
    return [(results / name, made) for name, made in named if isfile(results / name)]  # noqa: PTH113


def seals(job: Any, results: Path) -> list[Seal]:
    """Returns the seals of what a job makes, by Snakemake's object of it in DAG or script."""
    params, output = dict(job.params.items()), dict(job.output.items())
    inputs = tuple(path for path in map(Path, job.input) if path.is_relative_to(results))
    if "identities" in output:  # scores that were released, each for itself
        made = zip(map(Path, output["scores"]), params["lineages"], strict=True)
        return [
            Seal.beside(path, lineage, inputs=inputs, results=results) for path, lineage in made
        ]
    files = tuple(path for path in map(Path, job.output) if str(path) != output.get("identity"))
    if not files:
        return []
    lineage = ""
    if isinstance(params.get("lineage"), str):
        lineage = params["lineage"]
        params = {name: value for name, value in params.items() if name not in IN_LINEAGE}
    # Replies are written by whichever job loads the model, and their lineage has all.
    settings = "" if "outputs" in output else digest_of(params)
    identity = Path(output.get("identity", files[0].with_suffix(IDENTITY)))
    return [Seal(lineage, identity, files, settings, inputs, results)]


def _each(paths: Iterable[Path]) -> Iterator[Path]:
    """Files, and those in folders but for hidden ones, which are Snakemake's."""
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("[!.]*") if one.is_file())
        else:
            yield path


def digest_of(values: object) -> str:
    """16 hexadecimal digits for plain values, whatever the order of their keys."""
    return hashlib.sha256(canonical_json(values).encode()).hexdigest()[:16]
