"""The Batch API of an ``openai`` model: cheaper answers, within a day, never submitted twice."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from steadfast.base.errors import PassingError, UserError
from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, Setup
from steadfast.engines.cost.bill import CapReached, estimated
from steadfast.engines.openai import batch_files
from steadfast.engines.openai.api import ApiEngine
from steadfast.engines.openai.batch_files import METADATA, Batch, BatchState, Remote
from steadfast.engines.openai.body import array, mapping, parsed, text
from steadfast.engines.openai.chat import Chat
from steadfast.engines.openai.pace import LONGEST_BACKOFF, wanted_wait
from steadfast.engines.openai.redaction import MARK
from steadfast.engines.openai.replies import Retry, failure

if TYPE_CHECKING:
    from openai import OpenAI


T = TypeVar("T")


class ChatEngine(ApiEngine):
    """Engine ``openai``, live."""

    def __init__(self, setup: Setup):
        self._chat = Chat(setup)
        super().__init__(setup, self._chat)

    def _replies(self, content: bytes) -> Iterator[tuple[str, Response | Retry]]:
        """The replies in a file of the Batch API's format, by hash."""
        return batch_files.parse(
            content,
            logprobs=self._chat.logprobs,
            tools=self._chat.tools,
            redact=self._access.redaction.content,
        )


class BatchEngine(ChatEngine):
    """Uploads requests as files, waits for their batches, and gives the replies by hash.

    A batch is written down before it is made and found again by its metadata, so that a killed
    job re-attaches. What a batch leaves unanswered goes into a further one, up to ``attempts``.
    """

    tier = "batch"

    def __init__(self, setup: Setup):
        super().__init__(setup)
        assert setup.journal is not None, "a batch must not be forgotten"
        self._state_path = setup.journal.with_suffix(".batches.json")
        self._interval = setup.operation.get("batch_interval", 60.0)
        most = batch_files.FACTS["requests"]
        self._most_requests = min(setup.operation.get("batch_requests") or most, most)
        self._client: OpenAI  # while ``answer`` runs
        self._capped: CapReached | None = None

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        from openai import OpenAI

        asked = {request.hash: request for group in groups for request in group}
        state = BatchState.load(self._state_path)
        self._provider.expect(groups)
        with OpenAI(**self._access.client_settings(self._timeout)) as self._client:
            for batch in [batch for batch in state.open if batch.batch_id is None]:
                if batch.file_id is not None:
                    self._create_batch(state, batch, batch.file_id, maybe_made=True)
                else:  # nothing was made of it
                    state.open.remove(batch)
                    state.save()
            under_way = {hash for batch in state.open for hash in batch.hashes}
            if self._bill:
                for name in under_way & asked.keys():
                    self._bill.reserve(asked[name], sent=True)
            self._submit(state, [asked[name] for name in asked if name not in under_way])
            while state.open:
                remotes = [(batch, self._look(str(batch.batch_id))) for batch in state.open]
                ended = [(b, r) for b, r in remotes if r.status in batch_files.FACTS["ended"]]
                for batch, remote in ended:
                    yield from self._import(state, batch, remote, asked)
                if state.open and not ended:
                    time.sleep(self._interval)
        if self._capped:
            raise self._capped

    def _submit(self, state: BatchState, requests: list[Request]) -> None:
        paid = self._paid(requests)
        for chunk in batch_files.files_of(paid, self._chat, self._most_requests):
            batch = state.add(uuid.uuid4().hex, [request.hash for request, _ in chunk])
            file = f"{batch.key}.jsonl", b"".join(content for _, content in chunk)
            upload = self._client.files.with_raw_response.create
            create = partial(upload, file=file, purpose="batch")
            batch.file_id = self._call(create, self._json(_id))
            self._check_id(batch.file_id)
            state.save()
            self._create_batch(state, batch, batch.file_id, maybe_made=False)

    def _paid(self, requests: list[Request]) -> Iterator[Request]:
        """The requests that the spending cap has room for; what is under way is waited for."""
        for request in requests:
            try:
                if self._bill:
                    self._bill.reserve(request)
            except CapReached as reached:
                self._capped = reached
                return
            yield request

    def _create_batch(
        self, state: BatchState, batch: Batch, file_id: str, maybe_made: bool
    ) -> None:
        make = partial(
            self._client.batches.with_raw_response.create,
            input_file_id=file_id,
            endpoint=self._chat.endpoint,
            completion_window=batch_files.FACTS["window"],
            metadata={METADATA: batch.key},
        )
        remote = self._made(batch.key) if maybe_made else None
        if remote is None:
            # A reply that is lost leaves a batch behind.
            remote = self._call(make, self._json(Remote.of), lambda: self._made(batch.key))
        self._check_id(remote.id)
        batch.batch_id = remote.id
        state.save()
        self._log(f"batch {batch.batch_id}: {len(batch.hashes)} requests submitted")

    def _made(self, key: str) -> Remote | None:
        """The batch that has our key in its metadata, if it was made."""
        after: str | None = None
        while True:
            further: Record = {} if after is None else {"after": after}
            page = partial(self._client.batches.with_raw_response.list, limit=100, **further)
            reply = self._call(page, self._json(lambda reply: mapping(reply) or None))
            remotes = [remote for one in array(reply.get("data")) if (remote := Remote.of(one))]
            for remote in remotes:
                if remote.key == key:
                    return remote
            if not remotes or reply.get("has_more") is not True or remotes[-1].id == after:
                return None
            after = remotes[-1].id

    def _look(self, batch_id: str) -> Remote:
        look = partial(self._client.batches.with_raw_response.retrieve, batch_id)
        return self._call(look, self._json(Remote.of))

    def _import(
        self, state: BatchState, batch: Batch, remote: Remote, asked: Mapping[str, Request]
    ) -> Iterator[tuple[Request, Response]]:
        """Gives what a batch answered; only then it is closed, so that no answer can be lost."""
        reasons = dict.fromkeys((h for h in batch.hashes if h in asked), remote.why)
        answered = 0
        for file_id in remote.files:
            self._check_id(file_id)
            look = partial(self._client.files.with_raw_response.content, file_id)
            content = self._call(look, bytes)
            for name, outcome in self._replies(content):
                if name not in reasons:
                    continue
                if isinstance(outcome, Response):
                    del reasons[name]
                    answered += 1
                    yield asked[name], estimated(asked[name], self.as_sent(asked[name], outcome))
                else:
                    reasons[name] = outcome.reason
        again = {n: r for n, r in reasons.items() if state.attempts.get(n, 0) + 1 < self._attempts}
        for name, reason in reasons.items():
            self.retries[reason] += name in again
            if name not in again:
                yield asked[name], Response("error", error=reason)
        if self._bill:
            for name in batch.hashes:
                if name in asked:
                    self._bill.settle(asked[name])
        self._log(f"batch {batch.batch_id}: {remote.status}, {answered} answered")
        state.close(batch, remote.status, list(again), answered)
        self._submit(state, [asked[name] for name in again])

    def _check_id(self, given: str) -> None:
        """Raises UserError where the provider's name for a thing holds the key."""
        if MARK in given:
            raise UserError(
                f"server {self._access.address} names a file or batch by the API key, which is "
                "kept nowhere; set batch to false, then run again"
            )

    def _json(self, read: Callable[[object], T | None]) -> Callable[[bytes], T | None]:
        redact = self._access.redaction.content
        return lambda content: read(parsed(redact(content)))

    def _call(
        self,
        function: Callable[[], Any],
        read: Callable[[bytes], T | None],
        unheard: Callable[[], T | None] = lambda: None,
    ) -> T:
        """Makes one call and reads its body; ``unheard`` finds what a lost reply was about."""
        from openai import APIConnectionError, APIStatusError

        for attempt in range(1, self._attempts + 1):
            after: float | None = None
            if attempt > 1 and (found := unheard()) is not None:
                return found
            try:
                content = function().content
            except APIConnectionError as error:
                reason = f"connection lost ({type(error.__cause__).__name__})"
            except APIStatusError as error:
                body = parsed(self._access.redaction.content(error.response.content))
                self._stop_if_hopeless(error.status_code, body)
                outcome = failure(error.status_code, body, error.response.headers, time.time())
                if not isinstance(outcome, Retry):
                    raise UserError(
                        f"server {self._access.address} does not take the batch "
                        f"({outcome.error or outcome.status}); mend the settings or set batch to "
                        "false, then run again"
                    ) from None
                reason, after = outcome.reason, outcome.after
            except Exception as error:  # such as OverflowError, by a redirect to port 99999
                reason = f"the client failed ({type(error).__name__})"
            else:
                if (found := read(content)) is not None:
                    return found
                reason = "a body that is no file or batch"
            self.retries[reason] += 1
            if attempt < self._attempts:
                pause = min(LONGEST_BACKOFF, self._backoff * 2 ** (attempt - 1))
                self._say_wait(reason, after)
                time.sleep(pause if after is None else wanted_wait(after))
        raise PassingError(
            f"server {self._access.address} failed {self._attempts} times in a row ({reason}); run "
            "again later: the job re-attaches to its batches and submits none twice"
        )


def _id(reply: object) -> str | None:
    return text(mapping(reply).get("id")) or None


REQUESTS, RESULTS = ".requests.jsonl", ".results.jsonl"


class BatchFilesEngine(ChatEngine):
    """Answers from results in ``{part}.batches/``; what they lack is written to request files."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        assert setup.journal is not None, "the files lie beside it"
        self._folder = setup.journal.with_suffix(".batches")
        self._most_requests = setup.operation.get("batch_requests") or batch_files.FACTS["requests"]

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        asked = {request.hash: request for group in groups for request in group}
        self._provider.expect(groups)
        for path in sorted(self._folder.glob(f"*{RESULTS}")):
            for name, outcome in self._replies(path.read_bytes()):
                # An error is no last word: another file may hold an answer.
                if isinstance(outcome, Response) and outcome.status != "error" and name in asked:
                    request = asked.pop(name)
                    yield request, estimated(request, self.as_sent(request, outcome))
        if asked:
            names = self._write(list(asked.values()))
            raise UserError(
                f"{len(asked)} requests stand in {', '.join(names)} ({self._folder}); run each "
                f"through a batch runner, put its output beside it with the ending {RESULTS} in "
                f"place of {REQUESTS}, and run again"
            )

    def _write(self, requests: list[Request]) -> list[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in self._folder.glob(f"*{REQUESTS}"):
            old.unlink()
        # Results keep the names of their requests: new files must not be taken for old ones.
        taken = {path.name for path in self._folder.glob(f"*{RESULTS}")}
        first = next(n for n in count() if f"batch-{n:03d}{RESULTS}" not in taken)
        files = batch_files.files_of(requests, self._chat, self._most_requests)
        names = []
        for number, chunk in enumerate(files, start=first):
            names.append(f"batch-{number:03d}{REQUESTS}")
            (self._folder / names[-1]).write_bytes(b"".join(line for _, line in chunk))
        return names


def build(setup: Setup) -> Engine:
    """The engine that the setting ``batch`` asks for."""
    batch = setup.operation.get("batch")
    if batch == "files":
        return BatchFilesEngine(setup)
    return BatchEngine(setup) if batch else ChatEngine(setup)
