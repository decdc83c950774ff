"""A provider's Batch API: how batches are created, found, polled and read, by retried calls."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote

from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api import batch_files, engine
from steadfast.engines.api.batch_files import METADATA, Batch, Remote
from steadfast.engines.api.body import array, mapping, parsed, text
from steadfast.engines.api.chat import Chat
from steadfast.engines.api.client import Http, ServerReply
from steadfast.engines.api.pace import wait_of
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import REASON_CHARACTERS, Retry, http_failure

T = TypeVar("T")
P = TypeVar("P", bound=Provider)
PAGE = 100  # batches per page of a list
FIRST_PAUSE = 0.5  # seconds between two polls of a batch; they double
LONGEST_PAUSE = 60.0
# HTTP status with which Anthropic rejects a call when overloaded.
REFUSED = 529


class QueueFull(TemporaryError):
    """A server rejects a call since the account has too much in its queue."""


class Batches(ABC, Generic[P]):
    """The batches of one provider.

    Attributes:
        facts: limits of one batch (``requests`` and ``bytes``), and its final states (``ended``).
        path: of batches, below the address.
        after: query parameter of a list for the last batch of the page before.
        name: the key of a line with the hash of its request.
        http: a client, while an engine runs.
    """

    facts: Settings
    path: str
    after = "after"
    name = "custom_id"
    http: Http

    def __init__(self, provider: P, api_engine: engine.ApiEngine, state_path: Path):
        self.provider = provider
        self._engine = api_engine
        self._state_path = state_path
        self._server = f"server {provider.access.address}"
        self._pause = FIRST_PAUSE

    def get_value(self, path: str, read: Callable[[object], T | None]) -> T:
        """The value of the reply to a GET request."""
        return self.value(partial(self.http.get, path), read)

    @abstractmethod
    def line(self, request: Request) -> bytes:
        """One request of a batch, with its hash, as a line with its line break."""

    @abstractmethod
    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        """Prepares a batch, such as by an upload; returns the id for ``create`` and ``find``."""

    @abstractmethod
    def creation(self, batch: Batch, lines: Sequence[bytes]) -> tuple[str, bytes]:
        """Path and body of the call that creates a prepared batch."""

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        """Creates a prepared batch exactly once, however often the reply is lost."""
        make = partial(self.http.post, *self.creation(batch, lines))
        # After a lost reply the batch may exist.
        return self.value(make, self.remote, lambda: self.find(batch))

    @abstractmethod
    def remote(self, value: object) -> Remote | None:
        """The batch that a reply describes; None where it describes none."""

    def list_all(self) -> Iterator[Remote]:
        """All batches, the newest first."""
        after = ""
        while True:
            page = f"{self.path}?limit={PAGE}{after}"
            reply = self.get_value(page, lambda reply: mapping(reply) or None)
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
        for remote in self.list_all():
            if remote.key == batch.key:
                return remote
        return None

    def poll(self, batch_id: str) -> Remote:
        """The current state of a batch."""
        return self.get_value(f"{self.path}/{quote(batch_id, safe='')}", self.remote)

    @abstractmethod
    def result_path(self, file: str) -> str:
        """The path of a file with replies."""

    def result(self, file: str) -> bytes:
        """A file with replies."""
        return self._call(partial(self.http.get, self.result_path(file)), bytes)

    @abstractmethod
    def outcome(self, record: Settings) -> Response | Retry:
        """The outcome of a request, from its line in a file with replies."""

    def replies(self, content: bytes) -> Iterator[tuple[str, Response | Retry]]:
        """The outcomes in a file with replies, by request hash; other lines are skipped."""
        for line in content.split(b"\n"):
            record = mapping(self._parsed(line))
            if isinstance(name := record.get(self.name), str):
                yield name, self.outcome(record)

    def value(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[object], T | None],
        look_up: Callable[[], T | None] = lambda: None,
    ) -> T:
        """The value that ``read`` finds in a reply's JSON, after ``ATTEMPTS`` calls at most.

        ``look_up`` finds what a call did whose reply was lost.
        """
        return self._call(send, lambda content: read(self._parsed(content)), look_up)

    def pause(self) -> None:
        """Waits before the next poll of a batch."""
        time.sleep(self._pause)
        self._pause = min(LONGEST_PAUSE, 2 * self._pause)

    def _parsed(self, content: bytes) -> object:
        return parsed(self.provider.access.redaction.content(content))

    def _call(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[bytes], T | None],
        look_up: Callable[[], T | None] = lambda: None,
    ) -> T:
        from httpx2 import TransportError

        lost = False  # whether an attempt may have succeeded without its reply arriving
        rejections = 0
        for attempt in range(1, engine.ATTEMPTS + 1):
            retry_after: float | None = None
            if lost and (value := look_up()) is not None:
                return value
            lost = True
            try:
                reply = send()
            except TransportError as error:
                reason = f"connection lost ({type(error).__name__})"
            except Exception as error:  # such as OverflowError, by a redirect to port 99999
                reason = f"client error ({type(error).__name__})"
            else:
                retry = self._failure(reply)
                if retry is not None:
                    # A proxy may return 503 too, perhaps for a call that it passed on.
                    lost = retry.broken and reply.status != REFUSED
                    rejections += retry.overloaded and not retry.broken
                elif (value := read(reply.content)) is not None:
                    return value
                else:
                    retry = Retry("invalid reply: no file or batch")
                reason = retry.reason
                retry_after = retry.after
            self._engine.retries[reason] += 1
            if attempt < engine.ATTEMPTS:
                self._engine.report_wait(reason, retry_after)
                time.sleep(wait_of(retry_after, attempt - 1))
        raise (QueueFull if rejections == engine.ATTEMPTS else TemporaryError)(
            f"{self._server} failed {engine.ATTEMPTS} times in a row ({reason}); "
            "run again later: the job re-attaches to its batches and submits none twice"
        )

    def _failure(self, reply: ServerReply) -> Retry | None:
        """Why a call failed that may succeed later; None for a success."""
        if reply.status < 400:
            return None
        body = self._parsed(reply.content)
        if reply.status == 404:
            raise UserError(
                f"{self._server}: batch, file or model not found, or no Batch API "
                "(HTTP 404); check batch, model and base_url; if a batch was deleted at the "
                f"provider, remove {self._state_path}; then run again: cached responses are not "
                "re-requested"
            )
        self._engine.raise_permanent_error(reply.status, body)
        outcome = http_failure(reply.status, body, reply.headers, time.time())
        if isinstance(outcome, Retry):
            return outcome
        raise UserError(
            f"{self._server} rejects the batch "
            f"({outcome.error or outcome.status}); correct the settings or set batch to false, "
            "then run again"
        )


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
        return self.value(upload, lambda reply: text(mapping(reply).get("id")) or None)

    def creation(self, batch: Batch, lines: Sequence[bytes]) -> tuple[str, bytes]:
        definition = {
            "input_file_id": batch.file_id,
            "endpoint": self.provider.endpoint,
            "completion_window": self.facts["window"],
            "metadata": {METADATA: batch.key},
        }
        return self.path, json.dumps(definition).encode()

    def result_path(self, file: str) -> str:
        return f"/files/{quote(file, safe='')}/content"

    def outcome(self, record: Settings) -> Response | Retry:
        response = mapping(record.get("response"))
        error = record.get("error")
        status = response.get("status_code")
        if isinstance(status, int) and status >= 400:
            # OpenAI puts the error into the response's body, some servers next to the response.
            reason = response.get("body") or error
            reason = {"error": {"message": reason}} if isinstance(reason, str) else reason
            return http_failure(status, reason)
        if error is not None or status != 200:
            code = text(mapping(error).get("code")) or "no response"
            return Retry(f"batch: {code[:REASON_CHARACTERS]}")
        return self.provider.read(response.get("body"))
