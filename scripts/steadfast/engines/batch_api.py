"""The Batch API of an ``openai`` model: cheaper answers, within a day, never submitted twice."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from steadfast.engines import batch_files
from steadfast.engines.base import Setup
from steadfast.engines.batch_state import Batch, BatchState
from steadfast.engines.bill import CapReached
from steadfast.engines.openai_api import OpenaiEngine
from steadfast.engines.openai_body import request_url
from steadfast.engines.pace import LONGEST_BACKOFF
from steadfast.engines.replies import Retry, clean, read_failure
from steadfast.engines.request import Request, Response
from steadfast.errors import UserError

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Batch as RemoteBatch

T = TypeVar("T")

METADATA = "steadfast"  # the batch's metadata key that holds ours


class BatchEngine(OpenaiEngine):
    """Uploads requests as files, waits for their batches, and gives the replies by hash.

    A batch is written down before it is made and found again by its metadata, so that a killed
    job re-attaches. Requests that a failed, expired or cancelled batch leaves unanswered go into
    a further one, up to ``attempts``.

    Args:
        setup: as of ``OpenaiEngine``, and ``batch_interval`` (s, between two looks) and
            ``batch_requests`` (of a file, at most) among its operation. The hashes are the same,
            live or in batches; the batches' record lies beside the journal.
    """

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
        """Answers batch by batch, as they end; every request gets one.

        Raises:
            UserError: as of ``OpenaiEngine``, or the spending cap is reached.
        """
        from openai import OpenAI

        self._key = self._find_key()
        asked = {request.hash: request for group in groups for request in group}
        state = BatchState.load(self._state_path)
        with OpenAI(**self._connection()) as self._client:
            for batch in [batch for batch in state.open if batch.batch_id is None]:
                if batch.file_id is not None:
                    self._create_batch(state, batch, batch.file_id, maybe_made=True)
                else:  # nothing was made of it
                    state.open.remove(batch)
                    state.save()
            under_way = {hash for batch in state.open for hash in batch.hashes}
            self._submit(state, [asked[name] for name in asked if name not in under_way])
            while state.open:
                look = self._client.batches.retrieve
                remotes = [(b, self._call(partial(look, str(b.batch_id)))) for b in state.open]
                ended = [(b, r) for b, r in remotes if r.status in batch_files.FACTS["ended"]]
                for batch, remote in ended:
                    yield from self._import(state, batch, remote, asked)
                if state.open and not ended:
                    time.sleep(self._interval)
        if self._capped:
            raise self._capped

    def _submit(self, state: BatchState, requests: list[Request]) -> None:
        most, field = self._most_requests, self._max_tokens_field
        for chunk in batch_files.files_of(requests, self.answers, field, most):
            try:
                if self._bill:
                    self._bill.check()
            except CapReached as reached:  # what is under way is paid for: it is waited for
                self._capped = reached
                return
            batch = state.add(uuid.uuid4().hex, [request.hash for request, _ in chunk])
            file = f"{batch.key}.jsonl", b"".join(content for _, content in chunk)
            create = partial(self._client.files.create, file=file, purpose="batch")
            batch.file_id = self._call(create).id
            state.save()
            self._create_batch(state, batch, batch.file_id, maybe_made=False)

    def _create_batch(
        self, state: BatchState, batch: Batch, file_id: str, maybe_made: bool
    ) -> None:
        def create() -> "RemoteBatch":
            nonlocal maybe_made
            for remote in self._client.batches.list(limit=100) if maybe_made else ():
                if (remote.metadata or {}).get(METADATA) == batch.key:
                    return remote
            # A reply that is lost, or a kill before it is kept, leaves a batch behind.
            maybe_made = True
            return self._client.batches.create(
                input_file_id=file_id,
                endpoint=request_url(self.answers),
                completion_window=batch_files.FACTS["window"],
                metadata={METADATA: batch.key},
            )

        batch.batch_id = self._call(create).id
        state.save()
        self._log(f"batch {batch.batch_id}: {len(batch.hashes)} requests submitted")

    def _import(
        self,
        state: BatchState,
        batch: Batch,
        remote: "RemoteBatch",
        asked: Mapping[str, Request],
    ) -> Iterator[tuple[Request, Response]]:
        """Gives what a batch answered; only then it is closed, so that no answer can be lost."""
        reasons = dict.fromkeys((h for h in batch.hashes if h in asked), _why(remote))
        answered = 0
        for file_id in (remote.output_file_id, remote.error_file_id):
            if file_id is None:
                continue
            content = self._call(partial(self._client.files.content, file_id))
            for name, outcome in batch_files.parse(content.content, logprobs=self._logprobs):
                if name not in reasons:
                    continue
                if isinstance(outcome, Response):
                    del reasons[name]
                    answered += 1
                    yield asked[name], self._without_key(outcome)
                else:
                    reasons[name] = outcome.reason
        again = {n: r for n, r in reasons.items() if state.attempts.get(n, 0) + 1 < self._attempts}
        for name, reason in reasons.items():
            self._retries[reason] += name in again
            if name not in again:
                yield asked[name], Response("error", error=reason)
        self._log(f"batch {batch.batch_id}: {remote.status}, {answered} answered")
        state.close(batch, remote.status, list(again), answered)
        self._submit(state, [asked[name] for name in again])

    def _call(self, function: Callable[[], T]) -> T:
        """Makes one call, again where that may help.

        Raises:
            UserError: the server refuses it for good, or cannot be reached.
        """
        from openai import APIConnectionError, APIStatusError

        for attempt in range(1, self._attempts + 1):
            after: float | None = None
            try:
                return function()
            except APIConnectionError as error:
                reason = f"connection lost ({type(error.__cause__).__name__})"
            except APIStatusError as error:
                body = error.response.content
                self._stop_if_hopeless(error.status_code, body)
                outcome = read_failure(error.status_code, body, error.response.headers, time.time())
                if not isinstance(outcome, Retry):
                    reason = self._without_key(outcome).error or outcome.status
                    raise UserError(
                        f"server {self._address()} does not take the batch ({reason}); mend the "
                        "settings or set batch to false, then run again"
                    ) from None
                reason, after = outcome.reason, outcome.after
            self._retries[reason] += 1
            if attempt < self._attempts:
                pause = min(LONGEST_BACKOFF, self._backoff * 2 ** (attempt - 1))
                time.sleep(pause if after is None else after)
        raise UserError(
            f"server {self._address()} failed {self._attempts} times in a row ({reason}); run "
            "again later: the job re-attaches to its batches and submits none twice"
        )


def _why(remote: "RemoteBatch") -> str:
    """Why a batch left requests unanswered, in a few words."""
    errors = remote.errors.data if remote.errors and remote.errors.data else []
    message = clean(" ".join((errors[0].message or errors[0].code or "").split())) if errors else ""
    return f"batch {remote.status}{': ' + message[:200] if message else ''}"
