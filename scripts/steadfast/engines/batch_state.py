"""What a job must not forget of its batches: written down before and after each is made."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_json, write_json


@dataclass
class Batch:
    """One batch at the provider.

    Args:
        key: names it in its metadata, so that it is found again if its id was never heard.
        hashes: of the requests in it.
        file_id: of the uploaded requests; None: not uploaded yet.
        batch_id: the provider's; None: not known to be made.
    """

    key: str
    hashes: list[str]
    file_id: str | None = None
    batch_id: str | None = None


@dataclass
class BatchState:
    """Open batches, failed attempts by request hash, and what became of the batches before.

    Every change is on the disk before ``save`` returns; the file is replaced atomically.
    """

    path: Path
    open: list[Batch] = field(default_factory=list)
    attempts: dict[str, int] = field(default_factory=dict)
    ended: list[Record] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> "BatchState":
        """The state in a file, or a fresh one.

        Raises:
            UserError: the file is there and no state.
        """
        if not path.exists():
            return cls(path)
        try:
            kept = read_json(path)
            batches = [Batch(**batch) for batch in kept.pop("open")]
            return cls(path, open=batches, **kept)
        except (TypeError, KeyError, AttributeError):
            raise UserError(
                f"{path}: no record of batches; look up the batches at the provider, remove this "
                "file, and run again"
            ) from None

    def save(self) -> None:
        """Writes the file."""
        kept = {name: value for name, value in asdict(self).items() if name != "path"}
        write_json(self.path, kept)

    def add(self, key: str, hashes: list[str]) -> Batch:
        """A batch that is about to be made; it is on the disk before anything is sent."""
        batch = Batch(key, hashes)
        self.open.append(batch)
        self.save()
        return batch

    def close(self, batch: Batch, status: str, unanswered: list[str], answered: int) -> None:
        """A batch whose replies are in the journal; the unanswered have one attempt more."""
        self.open.remove(batch)
        for request_hash in batch.hashes:
            attempts = self.attempts.pop(request_hash, 0)
            if request_hash in unanswered:
                self.attempts[request_hash] = attempts + 1
        self.ended.append({"batch_id": batch.batch_id, "status": status, "answered": answered})
        self.save()
