"""The lock file of fetched data, ``{repo: {revision: {file: sha256}}}``, written at the first fetch
and checked at all others."""

from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json, write_json

# Beside the config, as other lock files are.
LOCK = "config/corpora.lock.json"


class LockFile:
    """A lock file that several jobs may extend at once."""

    def __init__(self, path: Path | str):
        self.path = Path(path)

    def read(self, repo: str, revision: str) -> dict[str, str]:
        """The sha256 of each known file of a revision; empty without a lock file."""
        checksums: dict[str, str] = self._all().get(repo, {}).get(revision, {})
        return checksums

    def record(self, repo: str, revision: str, digests: dict[str, str]) -> None:
        """Adds digests, keeping what other jobs wrote meanwhile; leaves an unchanged file alone."""
        from filelock import FileLock

        if self.read(repo, revision).items() >= digests.items():
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Read again under the lock: another job may have written since.
            with FileLock(self.path.with_name(f".{self.path.name}.busy")):
                checksums = self._all()
                checksums.setdefault(repo, {}).setdefault(revision, {}).update(digests)
                write_json(self.path, checksums)
        except OSError as error:
            raise UserError(
                f"{self.path}: the lock file cannot be written ({error.strerror}); name one in a "
                "writable directory"
            ) from None

    def _all(self) -> Record:
        return read_json(self.path) if self.path.exists() else {}


def check(name: str, digest: str, expected: str | None, by: str, advice: str) -> None:
    """Raises UserError, with the advice, for a digest that is not the expected one."""
    if expected is not None and digest != expected.lower():
        raise UserError(
            f"{name}: its sha256 is {digest}, in {by} it is {expected}; {advice}, or correct {by} "
            "if the file is the right one"
        )
