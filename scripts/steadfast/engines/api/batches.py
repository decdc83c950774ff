"""What a provider's batches are: how they are made, found again, looked at and read."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar
from urllib.parse import quote

from steadfast.base.files import Settings
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


class Calls(Protocol):
    """Calls that are made again where they fail."""

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
    def outcome(self, record: Settings) -> Response | Retry:
        """What became of a request by its line there."""

    def replies(self, content: bytes) -> Iterator[Outcome]:
        """The replies in such a file, by hash."""
        redact = self.provider.access.redaction.content
        return batch_files.parse(content, self.outcome, redact, self.name)


class ChatBatches(Batches[Chat]):
    """OpenAI's: files of requests, and batches known by their metadata."""

    facts = batch_files.FACTS
    path = "/batches"

    def line(self, request: Request) -> bytes:
        body, url = self.provider.body(request), self.provider.endpoint
        return batch_files.batch_line(custom_id=request.hash, method="POST", url=url, body=body)

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        error = mapping(next(iter(array(mapping(said.get("errors")).get("data"))), None))
        return Remote.of(
            said,
            mapping(said.get("metadata")).get(METADATA),
            (said.get("output_file_id"), said.get("error_file_id")),
            text(error.get("message")) or error.get("code"),
        )

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        name, content = f"{batch.key}.jsonl", b"".join(lines)
        upload = partial(self.http.upload, "/files", {"purpose": "batch"}, name, content)
        return self.calls.value(upload, lambda reply: text(mapping(reply).get("id")) or None)

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        wanted = {
            "input_file_id": batch.file_id,
            "endpoint": self.provider.endpoint,
            "completion_window": self.facts["window"],
            "metadata": {METADATA: batch.key},
        }
        make = partial(self.http.post, self.path, json.dumps(wanted).encode())
        # A reply that is lost leaves a batch behind.
        return self.calls.value(make, self.remote, lambda: self.find(batch))

    def result(self, file: str) -> bytes:
        path = f"/files/{quote(file, safe='')}/content"
        return self.calls.content(partial(self.http.get, path))

    def outcome(self, record: Settings) -> Response | Retry:
        return batch_files.outcome(record, self.provider.tools)
