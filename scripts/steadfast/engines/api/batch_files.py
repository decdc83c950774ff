"""Files of the Batch API: requests, one per line, and the state of a job's batches."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, write_json
from steadfast.base.resources import facts
from steadfast.contract.request import Request
from steadfast.engines.api import replies
from steadfast.engines.api.body import text

# OpenAI's limits and values: ``requests``, ``bytes``, ``window``, and the states.
FACTS: Settings = facts("engines/batch.yaml")


def split(
    lines: Iterable[tuple[Request, bytes]], most_requests: int, most_bytes: int
) -> Iterator[list[tuple[Request, bytes]]]:
    """The lines in chunks of at most ``most_requests`` and ``most_bytes``, in order."""
    chunk: list[tuple[Request, bytes]] = []
    size = 0
    for request, content in lines:
        if len(content) > most_bytes:
            raise UserError(
                f"batch: the request of {request.sample_id} has {len(content):,} bytes, more than "
                f"the {most_bytes:,} of a batch file; set batch to false for this model"
            )
        if chunk and (len(chunk) == most_requests or size + len(content) > most_bytes):
            yield chunk
            chunk = []
            size = 0
        chunk.append((request, content))
        size += len(content)
    if chunk:
        yield chunk


def batch_line(**fields: object) -> bytes:
    """A line of a file of requests."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


METADATA = "steadfast"  # key of our identifier in a batch's metadata


@dataclass(frozen=True)
class Remote:
    """The state of a batch at the provider."""

    id: str
    status: str  # one of the states in resources/engines/batch.yaml
    key: str | None  # our identifier, from the metadata; None: the batch is not ours
    files: tuple[str, ...]  # ids of the files with replies, and with errors
    problem: str  # the error message; empty without an error
    requests: int  # number of requests; 0 where the provider does not say

    @classmethod
    def of(
        cls,
        fields: Mapping[str, object],
        key: object,
        files: Iterable[object],
        problem: object,
        requests: int = 0,
    ) -> "Remote | None":
        """The batch that a JSON object describes, by its values; None where it describes none."""
        name = text(fields.get("id"))
        status = text(fields.get("status"))
        if not name or not status:
            return None
        return cls(
            id=name,
            status=status.lower(),
            key=text(key),
            files=tuple(filter(None, map(text, files))),
            problem=" ".join((text(problem) or "").split())[: replies.MESSAGE_CHARACTERS],
            requests=requests,
        )

    @property
    def queue_was_full(self) -> bool:
        """Whether it failed since other batches use up the account's token limit."""
        return FACTS["no_room"] in self.problem

    @property
    def reason(self) -> str:
        """The reason for requests without a response."""
        return f"batch {self.status}{f': {self.problem}' if self.problem else ''}"


@dataclass
class Batch:
    """One batch at the provider."""

    key: str  # in its metadata, so that it is found again if the reply with its id was lost
    hashes: list[str]
    file_id: str | None = None  # of the uploaded requests
    batch_id: str | None = None  # None: not confirmed to exist


@dataclass
class BatchState:
    """Open batches, failed attempts by request hash, and the earlier batches."""

    open: list[Batch]
    attempts: dict[str, int] = field(default_factory=dict)
    ended: list[Record] = field(default_factory=list)
    path: Path = field(default_factory=Path, init=False)

    @staticmethod
    def place(journal: Path) -> Path:
        """The state file of the batches of a journal's job."""
        return journal.with_suffix(".batches.json")

    @classmethod
    def load(cls, path: Path) -> "BatchState":
        """The state in a file, or a fresh one."""
        state = cls([])
        if path.exists():
            from pydantic import TypeAdapter, ValidationError

            try:
                state = TypeAdapter(cls).validate_json(path.read_bytes(), strict=True)
            except ValidationError:
                raise UserError(
                    f"{path}: damaged state file of batches; check the batches at the provider, "
                    "remove this file, and run again"
                ) from None
        state.path = path
        return state

    @property
    def open_hashes(self) -> set[str]:
        """The hashes of all requests in batches that may be running."""
        submitted: set[str] = set()
        for batch in self.open:
            if batch.file_id:
                submitted.update(batch.hashes)
        return submitted

    def save(self) -> None:
        """Writes the file."""
        state = asdict(self)
        del state["path"]
        write_json(self.path, state)

    def add(self, key: str, hashes: list[str]) -> Batch:
        """Adds a batch before it is submitted; it is on disk before anything is sent."""
        batch = Batch(key, hashes)
        self.open.append(batch)
        self.save()
        return batch

    def close(self, batch: Batch, status: str, again: Mapping[str, int], answered: int) -> None:
        """Closes a batch whose replies are in the journal.

        Args:
            again: the number of failed attempts at each request to submit again, by hash.
        """
        self.open.remove(batch)
        for request_hash in batch.hashes:
            self.attempts.pop(request_hash, None)
        self.attempts.update(again)
        self.ended.append({"batch_id": batch.batch_id, "status": status, "answered": answered})
        self.save()
