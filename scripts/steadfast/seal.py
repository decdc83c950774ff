"""What files were made from, and their checksums, in an identity beside them, to be checked."""

from dataclasses import dataclass
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, file_sha256, read_json, write_json


@dataclass(frozen=True)
class Seal:
    """Files that one job makes and others read.

    Attributes:
        lineage: that they have, or must have (``lineage.Step``).
        identity: file that says what they were made from.
        files: the files, in one folder.
    """

    lineage: str
    identity: Path
    files: tuple[Path, ...]

    @classmethod
    def beside(cls, file: Path, lineage: str) -> "Seal":
        """The seal of one file, whose identity is named after it."""
        return cls(lineage, file.with_suffix(".identity.json"), (file,))

    @property
    def record(self) -> Record:
        """What an identity holds of it."""
        sums = {path.name: file_sha256(path) for path in self.files}
        return {"lineage": self.lineage, "sha256": sums}

    def write(self) -> None:
        """Writes an identity that holds no more."""
        write_json(self.identity, self.record)

    @property
    def names_lineage(self) -> bool:
        """Whether the files are there and their identity says that they have this lineage."""
        there = self.identity.exists() and all(path.exists() for path in self.files)
        known = read_json(self.identity) if there else None
        return isinstance(known, dict) and known.get("lineage") == self.lineage

    def check(self) -> None:
        """Whether the files are as they were made, and made from what the config asks for.

        Raises:
            UserError: one is not; the sentence says how to accept it or have it made again.
        """
        known = read_json(self.identity) if self.identity.exists() else None
        if not isinstance(known, dict) or not isinstance(known.get("sha256"), dict):
            raise UserError(
                f"{self.identity}: it does not say what {self.files[0]} was made from; remove "
                "both to have them made again"
            )
        for path in self.files:
            found = file_sha256(path)
            if found != known["sha256"].get(path.name):
                raise UserError(
                    f"{path}: changed since it was made, by the sha256 in {self.identity}; remove "
                    f"it to have it made again, or put {found} there to accept the change"
                )
        if known.get("lineage") != self.lineage:
            raise UserError(
                f"{self.files[0]}: made from other settings, data or code than the config asks "
                f"for, by {self.identity}; remove both to have them made again"
            )
