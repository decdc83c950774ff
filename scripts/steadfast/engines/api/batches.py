"""The interface of a provider's Batch API: how batches are created, found, polled and read."""

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
PAGE = 100  # batches per page of a list


class Calls(Protocol):
    """Calls with retries."""

    http: Http

    def value(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[object], T | None],
        unheard: Callable[[], T | None] = ...,
    ) -> T:
        """The value in a reply's JSON; ``unheard`` looks up what a call without reply did."""

    def content(self, send: Callable[[], ServerReply]) -> bytes:
        """A reply's body."""

    def pause(self) -> None:
        """Waits before the next poll of a batch."""


class Batches(ABC, Generic[P]):
    """The batches of one provider.

    Attributes:
        facts: limits of one batch (``requests`` and ``bytes``), and its final states (``ended``).
        path: of batches, below the address.
        after: query parameter of a list for the last batch of the page before.
        name: the key of a line with the hash of its request.
    """

    facts: Settings
    path: str
    after = "after"
    name = "custom_id"

    def __init__(self, provider: P, calls: Calls):
        self.provider = provider
        self.calls = calls
        self.http = calls.http

    def got(self, path: str, read: Callable[[object], T | None]) -> T:
        """The value of the reply to a GET request."""
        return self.calls.value(partial(self.http.get, path), read)

    @abstractmethod
    def line(self, request: Request) -> bytes:
        """One request of a batch, with its hash, as a line with its line break."""

    @abstractmethod
    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        """Prepares a batch, such as by an upload; returns the id for ``create`` and ``find``."""

    @abstractmethod
    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        """Creates a prepared batch exactly once, however often the reply is lost."""

    @abstractmethod
    def remote(self, value: object) -> Remote | None:
        """The batch that a reply describes; None where it describes none."""

    def listed(self) -> Iterator[Remote]:
        """All batches, the newest first."""
        after = ""
        while True:
            page = f"{self.path}?limit={PAGE}{after}"
            reply = self.got(page, lambda reply: mapping(reply) or None)
            remotes = list(filter(None, map(self.remote, array(reply.get("data")))))
            yield from remotes
            if not remotes or reply.get("has_more") is not True:
                return
            previous = after
            after = f"&{self.after}={quote(remotes[-1].id, safe='')}"
            if after == previous:
                return

    def find(self, batch: Batch) -> Remote | None:
        """The batch, if it was created."""
        for remote in self.listed():
            if remote.key == batch.key:
                return remote
        return None

    def look(self, batch_id: str) -> Remote:
        """The current state of a batch."""
        return self.got(f"{self.path}/{quote(batch_id, safe='')}", self.remote)

    @abstractmethod
    def result(self, file: str) -> bytes:
        """A file with replies."""

    @abstractmethod
    def outcome(self, record: Settings) -> Response | Retry:
        """The outcome of a request, from its line in a file with replies."""

    def replies(self, content: bytes) -> Iterator[Outcome]:
        """The outcomes in a file with replies, by request hash."""
        redact = self.provider.access.redaction.content
        return batch_files.parse(content, self.outcome, redact, self.name)


class ChatBatches(Batches[Chat]):
    """Batches of OpenAI: uploaded files of requests, identified by their metadata."""

    facts = batch_files.FACTS
    path = "/batches"

    def line(self, request: Request) -> bytes:
        body = self.provider.body(request)
        url = self.provider.endpoint
        return batch_files.batch_line(custom_id=request.hash, method="POST", url=url, body=body)

    def remote(self, value: object) -> Remote | None:
        batch = mapping(value)
        error = mapping(next(iter(array(mapping(batch.get("errors")).get("data"))), None))
        return Remote.of(
            batch,
            mapping(batch.get("metadata")).get(METADATA),
            (batch.get("output_file_id"), batch.get("error_file_id")),
            text(error.get("message")) or error.get("code"),
        )

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        name = f"{batch.key}.jsonl"
        content = b"".join(lines)
        upload = partial(self.http.upload, "/files", {"purpose": "batch"}, name, content)
        return self.calls.value(upload, lambda reply: text(mapping(reply).get("id")) or None)

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        definition = {
            "input_file_id": batch.file_id,
            "endpoint": self.provider.endpoint,
            "completion_window": self.facts["window"],
            "metadata": {METADATA: batch.key},
        }
        make = partial(self.http.post, self.path, json.dumps(definition).encode())
        # After a lost reply the batch may exist.
        return self.calls.value(make, self.remote, lambda: self.find(batch))

    def result(self, file: str) -> bytes:
        path = f"/files/{quote(file, safe='')}/content"
        return self.calls.content(partial(self.http.get, path))

    def outcome(self, record: Settings) -> Response | Retry:
        return batch_files.outcome(record, self.provider.tools)
