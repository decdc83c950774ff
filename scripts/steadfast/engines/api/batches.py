"""What a provider's batches are: how they are made, found again, looked at and read.

Mistral and Together have OpenAI's, each with lines and lists of its own. Together's are by its
guides "Batch inference" and the reference of its API (docs.together.ai, November 2026).
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Generic, Protocol, TypeVar
from urllib.parse import quote

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api import batch_files
from steadfast.engines.api.batch_files import METADATA, Batch, Outcome, Remote
from steadfast.engines.api.body import array, mapping, text
from steadfast.engines.api.chat import Chat
from steadfast.engines.api.client import Http, ServerReply
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import Retry

T = TypeVar("T")
P = TypeVar("P", bound=Provider)
PAGE = 100  # batches of a list at once
CONFLICT = 409


class Calls(Protocol):
    """Calls that are made again as often as the config says."""

    http: Http

    def value(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[object], T | None],
        unheard: Callable[[], T | None] = ...,
    ) -> T:
        """What is read of a reply's JSON; ``unheard`` finds what a lost reply was about."""

    def content(self, send: Callable[[], ServerReply]) -> bytes:
        """A reply's body."""

    def pause(self) -> None:
        """Waits until a batch is worth another look."""


class Batches(ABC, Generic[P]):
    """Those of one provider.

    Attributes:
        facts: ``requests`` and ``bytes`` of one batch, at most, and the states that are its
            ``ended``.
        path: where batches are, below the address.
        after: what names, in a list's query, the batch before the first that is wanted.
        name: the key of a line that holds the hash of its request.
    """

    facts: Settings
    path: str
    after = "after"
    name = "custom_id"

    def __init__(self, provider: P, calls: Calls):
        self.provider, self.calls, self.http = provider, calls, calls.http

    def got(self, path: str, read: Callable[[object], T | None]) -> T:
        """What is read of what lies at a path."""
        return self.calls.value(partial(self.http.get, path), read)

    @abstractmethod
    def line(self, request: Request) -> bytes:
        """One request of a batch, known by its hash; it ends with a line break."""

    @abstractmethod
    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        """Does what comes before a batch is made, and returns what ``create`` and ``find`` need."""

    @abstractmethod
    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        """Makes a batch that is prepared, once, however often its reply is lost."""

    @abstractmethod
    def remote(self, value: object) -> Remote | None:
        """The batch that a reply describes; None where it describes none."""

    def listed(self) -> Iterator[Remote]:
        """All batches, the newest first."""
        after = ""
        while True:
            reply = self.got(
                f"{self.path}?limit={PAGE}{after}", lambda reply: mapping(reply) or None
            )
            remotes = [remote for one in array(reply.get("data")) if (remote := self.remote(one))]
            yield from remotes
            if not remotes or reply.get("has_more") is not True:
                return
            if after == (after := f"&{self.after}={quote(remotes[-1].id, safe='')}"):
                return

    def find(self, batch: Batch) -> Remote | None:
        """The batch, if it was made."""
        return next((remote for remote in self.listed() if remote.key == batch.key), None)

    def look(self, batch_id: str) -> Remote:
        """What has become of a batch."""
        return self.got(f"{self.path}/{quote(batch_id, safe='')}", self.remote)

    @abstractmethod
    def result(self, file: str) -> bytes:
        """A file with replies."""

    @abstractmethod
    def outcome(self, record: Settings, whole: bool) -> Response | Retry:
        """What became of a request by its line there; not ``whole``: the key was taken out."""

    def replies(self, content: bytes) -> Iterator[Outcome]:
        """The replies in such a file, by hash."""
        redact = self.provider.access.redaction.content
        return batch_files.parse(content, self.outcome, redact, self.name)


class ChatBatches(Batches[Chat]):
    """OpenAI's, which others have too: files of requests, and batches known by their metadata."""

    facts = batch_files.FACTS
    path = "/batches"

    def line(self, request: Request) -> bytes:
        return self.provider.batch_line(request)

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        error = mapping(next(iter(array(mapping(said.get("errors")).get("data"))), None))
        return Remote.of(
            said,
            mapping(said.get("metadata")).get(METADATA),
            (said.get("output_file_id"), said.get("error_file_id")),
            text(error.get("message")) or error.get("code"),
        )

    def wanted(self, batch: Batch) -> Record:
        """What a batch is made of, and how long it may take."""
        return {
            "input_file_id": batch.file_id,
            "endpoint": self.provider.endpoint,
            "completion_window": self.facts["window"],
            "metadata": {METADATA: batch.key},
        }

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        name, content = f"{batch.key}.jsonl", b"".join(lines)
        upload = partial(self.http.upload, "/files", {"purpose": "batch"}, name, content)
        return self.calls.value(upload, lambda reply: text(mapping(reply).get("id")) or None)

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        make = partial(self.http.post, self.path, json.dumps(self.wanted(batch)).encode())
        # A reply that is lost leaves a batch behind.
        return self.calls.value(make, self.remote, lambda: self.find(batch))

    def result(self, file: str) -> bytes:
        path = f"/files/{quote(file, safe='')}/content"
        return self.calls.content(partial(self.http.get, path))

    def outcome(self, record: Settings, whole: bool) -> Response | Retry:
        return self.provider.batched(record, whole)


class MistralBatches(ChatBatches):
    """A job has one model for all its lines, which have no address."""

    facts = batch_files.FACTS["mistral"]
    path = "/batch/jobs"

    def line(self, request: Request) -> bytes:
        body = {k: value for k, value in self.provider.body(request).items() if k != "model"}
        return batch_files.batch_line(custom_id=request.hash, body=body)

    def wanted(self, batch: Batch) -> Record:
        return {
            "input_files": [batch.file_id],
            "model": self.provider.answers["model"],
            "endpoint": self.provider.endpoint,
            "metadata": {METADATA: batch.key},
            "timeout_hours": self.facts["hours"],
        }

    def listed(self) -> Iterator[Remote]:
        for number in count():
            path = f"{self.path}?page={number}&page_size={PAGE}"
            jobs = array(self.got(path, lambda reply: mapping(reply) or None).get("data"))
            yield from filter(None, map(self.remote, jobs))
            if len(jobs) < PAGE:
                return

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        error = mapping(next(iter(array(said.get("errors"))), None))
        key = mapping(said.get("metadata")).get(METADATA)
        files = said.get("output_file"), said.get("error_file")
        return Remote.of(said, key, files, error.get("message"))


class TogetherBatches(ChatBatches):
    """A batch has no metadata, and is found again by its file, whose lines have no address.

    A file that was uploaded before keeps its id (Together's client reads it from the error 409), so
    the batches that were made of it before are written down behind that id.
    """

    facts = batch_files.FACTS["together"]

    def line(self, request: Request) -> bytes:
        return batch_files.batch_line(custom_id=request.hash, body=self.provider.body(request))

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        file = self.calls.value(
            partial(self._upload, f"{batch.key}.jsonl", b"".join(lines)),
            lambda reply: text(mapping(reply).get("id")) or text(mapping(reply).get("file_id")),
        )
        return " ".join([file, *(remote.id for remote in self.listed() if remote.key == file)])

    def _upload(self, name: str, content: bytes) -> ServerReply:
        fields = {"purpose": "batch-api", "file_name": name, "file_type": "jsonl"}
        reply = self.http.upload("/files/upload", fields, name, content)
        return reply._replace(status=200) if reply.status == CONFLICT else reply

    def wanted(self, batch: Batch) -> Record:
        file, *_ = str(batch.file_id).split(" ")
        return {"endpoint": self.provider.endpoint, "input_file_id": file}

    def find(self, batch: Batch) -> Remote | None:
        file, *before = str(batch.file_id).split(" ")
        made = (remote for remote in self.listed() if remote.key == file)
        return next((remote for remote in made if remote.id not in before), None)

    def listed(self) -> Iterator[Remote]:
        # All of them: the list has no pages.
        jobs = self.got(self.path, lambda reply: reply if isinstance(reply, list) else None)
        return filter(None, map(self.remote, jobs))

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        said = mapping(said.get("job")) or said  # one that was just made stands in an object
        files = said.get("output_file_id"), said.get("error_file_id")
        return Remote.of(said, said.get("input_file_id"), files, said.get("error"))
