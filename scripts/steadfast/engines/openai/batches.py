"""What a provider's batches are: how they are made, found again, looked at and read."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar
from urllib.parse import quote

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.openai import batch_files
from steadfast.engines.openai.batch_files import METADATA, Batch, Remote
from steadfast.engines.openai.body import array, mapping, text
from steadfast.engines.openai.chat import Chat
from steadfast.engines.openai.client import Http, ServerReply
from steadfast.engines.openai.provider import Provider
from steadfast.engines.openai.replies import Retry

T = TypeVar("T")
P = TypeVar("P", bound=Provider)
Outcome = tuple[str, Response | Retry]


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

    def redacted(self, content: bytes) -> bytes:
        """It without the key."""

    def pause(self) -> None:
        """Waits until a batch is worth another look."""


class Batches(ABC, Generic[P]):
    """Those of one provider.

    Attributes:
        facts: ``requests`` and ``bytes`` of one batch, at most, and the states that are its
            ``ended``.
    """

    facts: Settings

    def __init__(self, provider: P, calls: Calls):
        self.provider, self.calls = provider, calls
        self.http = calls.http

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
    def find(self, batch: Batch) -> Remote | None:
        """The batch, if it was made."""

    @abstractmethod
    def look(self, batch_id: str) -> Remote:
        """What has become of a batch."""

    @abstractmethod
    def result(self, file: str) -> bytes:
        """A file with replies."""

    @abstractmethod
    def replies(self, content: bytes) -> Iterator[Outcome]:
        """The replies in such a file, by hash."""


class ChatBatches(Batches[Chat]):
    """OpenAI's, which others have too: files of requests, and batches known by their metadata."""

    facts = batch_files.FACTS
    path = "/batches"

    def line(self, request: Request) -> bytes:
        return chat_line(self.provider, request)

    def remote(self, value: object) -> Remote | None:
        """The batch that a reply describes; None where it describes none."""
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

    def find(self, batch: Batch) -> Remote | None:
        after = ""
        while True:
            page = partial(self.http.get, f"{self.path}?limit=100{after}")
            reply = self.calls.value(page, lambda reply: mapping(reply) or None)
            remotes = [remote for one in array(reply.get("data")) if (remote := self.remote(one))]
            for remote in remotes:
                if remote.key == batch.key:
                    return remote
            if not remotes or reply.get("has_more") is not True:
                return None
            if after == (after := f"&after={quote(remotes[-1].id, safe='')}"):
                return None

    def look(self, batch_id: str) -> Remote:
        path = f"{self.path}/{quote(batch_id, safe='')}"
        return self.calls.value(partial(self.http.get, path), self.remote)

    def result(self, file: str) -> bytes:
        path = f"/files/{quote(file, safe='')}/content"
        return self.calls.content(partial(self.http.get, path))

    def replies(self, content: bytes) -> Iterator[Outcome]:
        return chat_replies(self.provider, content)


def chat_line(provider: Chat, request: Request) -> bytes:
    """A request as a line of OpenAI's files, which vLLM's batch runner reads too."""
    named = {"custom_id": request.hash, "method": "POST", "url": provider.endpoint}
    body = provider.body(request)
    return json.dumps({**named, "body": body}, ensure_ascii=False).encode("utf-8") + b"\n"


def chat_replies(provider: Chat, content: bytes) -> Iterator[Outcome]:
    """The replies in a file of that format."""
    return batch_files.parse(
        content,
        logprobs=provider.logprobs,
        tools=provider.tools,
        redact=provider.access.redaction.content,
    )
