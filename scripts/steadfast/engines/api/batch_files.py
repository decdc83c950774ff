"""Files of the Batch API: one request a line going out, one reply a line coming back.

The format is OpenAI's; the dialects of others have lines of their own.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, write_json
from steadfast.base.resources import facts
from steadfast.contract.request import Request, Response
from steadfast.engines.api import replies
from steadfast.engines.api.body import mapping, parsed, text

FACTS: Settings = facts("engines/batch.yaml")
"""The provider's limits and words: ``requests``, ``bytes``, ``window``, and the states."""


def split(
    lines: Iterable[tuple[Request, bytes]], most_requests: int, most_bytes: int
) -> Iterator[list[tuple[Request, bytes]]]:
    """The lines in files of no more than so many requests and bytes, in their order."""
    chunk: list[tuple[Request, bytes]] = []
    size = 0
    for request, content in lines:
        if len(content) > most_bytes:
            raise UserError(
                f"batch: the prompt of {request.sample_id} makes a line of {len(content):,} bytes, "
                f"a file may have {most_bytes:,}; set batch to false for this model"
            )
        if chunk and (len(chunk) == most_requests or size + len(content) > most_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append((request, content))
        size += len(content)
    if chunk:
        yield chunk


Outcome = tuple[str, Response | replies.Retry]
"""What became of a request, by its hash."""


def batch_line(**fields: object) -> bytes:
    """A line of a file of requests."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def parse(
    content: bytes,
    read: Callable[[Settings], Response | replies.Retry],
    redact: Callable[[bytes], bytes] = bytes,
    key: str = "custom_id",
) -> Iterator[Outcome]:
    """The replies of an output or error file, by what stands at a key; other lines are skipped."""
    for line in content.split(b"\n"):
        record = mapping(parsed(redact(line)))
        if isinstance(name := record.get(key), str):
            yield name, read(record)


def outcome(record: Settings, tools: bool = False) -> Response | replies.Retry:
    """What a line of OpenAI's format says of its request."""
    response, error = mapping(record.get("response")), record.get("error")
    status = response.get("status_code")
    if isinstance(status, int) and status >= 400:
        # Some servers put what went wrong beside the response, OpenAI into its body.
        reason = response.get("body") or error
        reason = {"error": {"message": reason}} if isinstance(reason, str) else reason
        return replies.failure(status, reason, {}, 0.0)
    if error is not None or status != 200:
        code = text(mapping(error).get("code")) or "no response"
        return replies.Retry(f"batch: {code[: replies.REASON_CHARACTERS]}")
    return replies.completion(response.get("body"), tools=tools)


METADATA = "steadfast"  # the batch's metadata key that holds ours


@dataclass(frozen=True)
class Remote:
    """What the provider says of a batch."""

    id: str
    status: str  # one of the words in resources/engines/batch.yaml
    key: str | None  # ours, from the metadata; None: the batch is not ours
    files: tuple[str, ...]  # ids of the files with replies, and with errors
    problem: str  # what went wrong; empty where nothing did
    requests: int  # that it has; 0 where the provider does not say

    @classmethod
    def of(
        cls,
        said: Mapping[str, object],
        key: object,
        files: Iterable[object],
        problem: object,
        requests: int = 0,
    ) -> "Remote | None":
        """The batch that a JSON object describes, by its values; None where it describes none."""
        name, status = text(said.get("id")), text(said.get("status"))
        if not name or not status:
            return None
        return cls(
            id=name,
            status=status.lower(),
            key=text(key),
            files=tuple(file for one in files if (file := text(one))),
            problem=" ".join((text(problem) or "").split())[: replies.MESSAGE_CHARACTERS],
            requests=requests,
        )

    @property
    def lacked_room(self) -> bool:
        """Whether it failed since too many tokens of other batches are under way."""
        return FACTS["no_room"] in self.problem

    @property
    def why(self) -> str:
        """Why it left requests unanswered."""
        return f"batch {self.status}{f': {self.problem}' if self.problem else ''}"


@dataclass
class Batch:
    """One batch at the provider."""

    key: str  # in its metadata, so that it is found again if its id was never heard
    hashes: list[str]
    file_id: str | None = None  # of the uploaded requests
    batch_id: str | None = None  # None: it is not known to be made


@dataclass
class BatchState:
    """Open batches, failed attempts by request hash, and what became of the batches before."""

    open: list[Batch]
    attempts: dict[str, int] = field(default_factory=dict)
    ended: list[Record] = field(default_factory=list)
    path: Path = field(default_factory=Path, init=False)

    @staticmethod
    def place(journal: Path) -> Path:
        """Where the batches of a journal's job are written down."""
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
                    f"{path}: no record of batches; look up the batches at the provider, remove "
                    "this file, and run again"
                ) from None
        state.path = path
        return state

    @property
    def under_way(self) -> set[str]:
        """The hashes of what batches may have that were made and not read."""
        made = (batch for batch in self.open if batch.file_id)
        return {request_hash for batch in made for request_hash in batch.hashes}

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

    def close(self, batch: Batch, status: str, again: Mapping[str, int], answered: int) -> None:
        """A batch whose replies are in the journal.

        Args:
            again: the failed attempts at what is to be asked again, by hash.
        """
        self.open.remove(batch)
        for request_hash in batch.hashes:
            self.attempts.pop(request_hash, None)
        self.attempts.update(again)
        self.ended.append({"batch_id": batch.batch_id, "status": status, "answered": answered})
        self.save()
