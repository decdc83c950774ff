"""Provenance: what files were made from, and their checksums, in a file beside them."""

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

PROVENANCE = ".provenance.json"
# The one file of a folder whose files one job makes.
OF_FOLDER = "provenance.json"
# Fields of a record on the files beside it, and not on what made them.
OF_ITS_FILES = frozenset(
    {"input_digest", "settings", "inputs", "sha256", "statuses", "empty", "tokens"}
)
# Params that are part of the input digest.
IN_INPUT_DIGEST = frozenset({"input_digest", "code", "made_from"})
OTHER = "made from other settings, data or code than those of this config"

# Gives the sha256 of a file.
Checksum = Callable[[Path], str]


class State(Enum):
    """Files compared with a config and with their provenance."""

    ABSENT = 0  # a file is missing
    CURRENT = 1  # made for this config, and unchanged since
    OTHER = 2  # made from something else, or without provenance
    EDITED = 3  # made for this config, and changed since


@dataclass(frozen=True)
class Provenance:
    """The provenance of files that one job makes and others read.

    Attributes:
        input_digest: of everything that they are made from (``jobs.input_digests.Step``).
        path: the provenance file beside them.
        files: the files, or their folder.
        settings: digest of the job's other params; empty where the input digest covers them.
        inputs: files below the results folder that they are made from.
        results: folder of all results.
    """

    input_digest: str
    path: Path
    files: tuple[Path, ...]
    settings: str = ""
    inputs: tuple[Path, ...] = ()
    results: Path = Path()

    @classmethod
    def beside(cls, file: Path, input_digest: str, **further: Any) -> "Provenance":
        """The provenance of one file, which is named after it."""
        return cls(input_digest, file.with_suffix(PROVENANCE), (file,), **further)

    @classmethod
    def of(cls, file: Path, input_digest: str) -> "Provenance":
        """The provenance of one file: its own, or that of all files in its folder."""
        of_folder = file.with_name(OF_FOLDER)
        if of_folder.exists():
            return cls(input_digest, of_folder, (file,))
        return cls.beside(file, input_digest)

    @property
    def record(self) -> Record:
        """The content of the provenance file."""
        checksums = _checksums(self.files, self.path.parent)
        record: Record = {"input_digest": self.input_digest, "sha256": checksums}
        if self.settings:
            record["settings"] = self.settings
        if self.inputs:
            record["inputs"] = _checksums(self.inputs, self.results)
        return record

    def write(self) -> None:
        """Writes the provenance file."""
        write_json(self.path, self.record)

    @property
    def recorded_input_digest(self) -> object:
        """The input digest in the provenance file; None without one."""
        return _read(self.path).get("input_digest")

    @property
    def recorded_files(self) -> list[str]:
        """The names of files in the provenance file, of its own folder only."""
        return [name for name in _read(self.path).get("sha256", {}) if name == Path(name).name]

    @property
    def has_input_digest(self) -> bool:
        """Whether the files exist and their provenance has this input digest."""
        return self._exist and self.recorded_input_digest == self.input_digest

    @property
    def _exist(self) -> bool:
        return all(path.exists() for path in self.files)

    def state(self, checksum: Checksum) -> State:
        """The state of the files, by their checksums and those of their inputs."""
        if not self._exist:
            return State.ABSENT
        recorded = _read(self.path)
        if (
            recorded.get("input_digest") != self.input_digest
            or recorded.get("settings", "") != self.settings
        ):
            return State.OTHER
        # A changed input takes precedence over an edited file, which is remade then.
        if any(checksum(path) != digest for path, digest in _inputs(recorded, self.results)):
            return State.OTHER
        by_name = recorded["sha256"]
        if not all(path.is_dir() or self._name(path) in by_name for path in self.files):
            return State.OTHER
        checksums = {self.path.parent / name: digest for name, digest in by_name.items()}
        if not all(map(isfile, checksums)):
            return State.OTHER
        for path, digest in checksums.items():
            if checksum(path) != digest:
                return State.EDITED
        return State.CURRENT

    def check(self) -> None:
        """Raises a ``UserError`` where the files were edited, or made for another config."""
        self.check_unchanged(file_sha256)
        if self.recorded_input_digest != self.input_digest:
            raise UserError(
                f"{self.files[0]}: {OTHER}, according to {self.path}; run the workflow with this "
                "config to remake it"
            )

    def check_unchanged(self, checksum: Checksum) -> None:
        """Raises a ``UserError`` where a file was edited, with the way to accept the edit."""
        recorded = _read(self.path)
        if not recorded:
            raise UserError(
                f"{self.path}: the provenance of {self.files[0]} is missing or damaged; remove "
                "both and run again"
            )
        for path in _files_in(self.files):
            actual = checksum(path)
            if actual != recorded["sha256"].get(self._name(path)):
                raise UserError(
                    f"{path}: edited since it was made (its sha256 is not the one in {self.path}); "
                    f"remove it to have it remade, or enter {actual} there to accept the edit"
                )

    def check_inputs(self, checksum: Checksum) -> None:
        """Raises a ``UserError`` where an input of these files has changed, or an input of such an
        input, and so on to the data."""
        pending = [(self.files[0], self.path)]
        visited = {self.path}
        while pending:
            output, provenance = pending.pop()
            for path, digest in _inputs(_read(provenance), self.results):
                if checksum(path) != digest:
                    raise UserError(
                        f"{output}: outdated, since {path} has changed; run its workflow again "
                        "to remake it"
                    )
                # The provenance of a file, or of all files in its folder.
                for beside in (path.with_suffix(PROVENANCE), path.with_name(OF_FOLDER)):
                    if beside not in visited:
                        visited.add(beside)
                        pending.append((path, beside))

    def _name(self, path: Path) -> str:
        return os.path.relpath(path, self.path.parent)


def _read(provenance: Path) -> Record:
    """The record of a provenance file; empty where it is missing or damaged."""
    with suppress(UserError):
        record = read_json(provenance)
        if isinstance(record, dict) and isinstance(record.get("sha256"), dict):
            return record
    return {}


def _inputs(record: Record, results: Path) -> list[tuple[Path, object]]:
    """The existing files that a record names as inputs, with their recorded sha256.

    ``isfile`` is also false for a name that no file system allows, where ``Path.is_file`` raises.
    """
    recorded = record.get("inputs")
    inputs: list[tuple[Path, object]] = []
    for name, digest in recorded.items() if isinstance(recorded, dict) else ():
        if isfile(results / name):  # noqa: PTH113
            inputs.append((results / name, digest))
    return inputs


def provenances(job: Any, results: Path) -> list[Provenance]:
    """The provenances of a job's output, by Snakemake's object of the job in DAG or script."""
    params = dict(job.params.items())
    output = dict(job.output.items())
    inputs = tuple(path for path in map(Path, job.input) if path.is_relative_to(results))
    if "provenances" in output:  # released scores: one provenance for each file
        released = []
        scores = zip(map(Path, output["scores"]), params["input_digests"], strict=True)
        for path, input_digest in scores:
            released.append(Provenance.beside(path, input_digest, inputs=inputs, results=results))
        return released
    files = tuple(path for path in map(Path, job.output) if str(path) != output.get("provenance"))
    if not files:
        return []
    input_digest = ""
    if isinstance(params.get("input_digest"), str):
        input_digest = params["input_digest"]
        for name in IN_INPUT_DIGEST:
            params.pop(name, None)
    # Responses are written by whichever job loads the model; their input digest covers everything.
    settings = "" if "outputs" in output else digest_of(params)
    provenance = Path(output.get("provenance", files[0].with_suffix(PROVENANCE)))
    return [Provenance(input_digest, provenance, files, settings, inputs, results)]


def _checksums(paths: Iterable[Path], folder: Path) -> dict[str, str]:
    """The sha256 of files, and of those in folders, by their paths relative to a folder."""
    return {os.path.relpath(path, folder): file_sha256(path) for path in _files_in(paths)}


def _files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Files, and those in folders except hidden ones, which are Snakemake's."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("[!.]*") if file.is_file())
        else:
            yield path


def digest_of(values: object) -> str:
    """16 hexadecimal digits for plain values, whatever the order of their keys."""
    return hashlib.sha256(canonical_json(values).encode()).hexdigest()[:16]
