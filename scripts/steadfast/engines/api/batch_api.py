"""The Batch API of a provider: cheaper responses within a day; no request is submitted twice."""

import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import chain

from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response
from steadfast.engines.api import batch_files, engine
from steadfast.engines.api.batch_files import Batch, BatchState, Remote
from steadfast.engines.api.batches import Batches, P, QueueFull
from steadfast.engines.api.client import Http
from steadfast.engines.api.redaction import MARK
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import CapReached, estimated, failed_attempt


class BatchEngine(engine.ApiEngine):
    """Submits requests in batches, waits for them, and returns the responses.

    A batch is recorded before it is created, so that a killed job finds it again and re-attaches.
    Requests without a response go into another batch, up to ``ATTEMPTS``.
    """

    tier = "batch"

    def __init__(self, setup: Setup, provider: P, batches: type[Batches[P]]):
        super().__init__(setup, provider)
        assert setup.journal is not None, "batches need a journal, to be found again"
        self._state_path = BatchState.place(setup.journal)
        self._batches = batches(provider, self, self._state_path)
        self._capped: CapReached | None = None

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        by_hash = {request.hash: request for request in chain.from_iterable(groups)}
        state = BatchState.load(self._state_path)
        self._provider.note_requests(groups)
        settings = self._access.client_settings(self._timeout)
        with Http(settings, self._provider.headers(settings["api_key"])) as self._batches.http:
            self._find_unconfirmed(state)
            open_hashes = state.open_hashes
            unsent: list[Request] = []
            for name, request in by_hash.items():
                if name not in open_hashes:
                    unsent.append(request)
                elif self._bill:
                    self._bill.reserve(request, sent=True)
            pending = self._submit(state, unsent)
            while state.open:
                ended: list[tuple[Batch, Remote]] = []
                for batch in state.open:
                    remote = self._batches.poll(str(batch.batch_id))
                    if remote.status in self._batches.facts["ended"]:
                        ended.append((batch, remote))
                others_run = len(ended) < len(state.open)
                may_submit = not others_run
                for batch, remote in ended:
                    # A batch that failed for lack of room may succeed once another one has ended.
                    waits_for_room = others_run and remote.queue_was_full
                    may_submit = may_submit or not waits_for_room
                    counts = not waits_for_room
                    pending += yield from self._import(state, batch, remote, by_hash, counts)
                if may_submit:
                    pending = self._submit(state, pending)
                elif not ended:
                    self._batches.pause()
        if self._capped:
            raise self._capped

    def _find_unconfirmed(self, state: BatchState) -> None:
        """Finds batches again whose creation a killed job did not see confirmed."""
        for batch in list(state.open):
            if batch.batch_id is None:
                remote = None if batch.file_id is None else self._batches.find(batch)
                if remote is None:  # it was never created
                    state.open.remove(batch)
                    state.save()
                else:
                    self._keep(state, batch, remote)

    def _submit(self, state: BatchState, requests: list[Request]) -> list[Request]:
        """Submits batches; returns the requests that wait for room until a running batch ends."""
        facts = self._batches.facts
        unsubmitted = {request.hash: request for request in requests}
        lines = self._paid_lines(requests)
        for chunk in batch_files.split(lines, facts["requests"], facts["bytes"]):
            chunk_requests, chunk_lines = zip(*chunk, strict=True)
            batch = state.add(uuid.uuid4().hex, [request.hash for request in chunk_requests])
            try:
                batch.file_id = self._batches.prepare(batch, chunk_lines)
                self._check_id(batch.file_id)
                state.save()
                self._keep(state, batch, self._batches.create(batch, chunk_lines))
            except QueueFull:
                if state.open == [batch]:
                    raise
                state.open.remove(batch)
                state.save()
                self._settle(unsubmitted.values())
                return list(unsubmitted.values())
            for name in batch.hashes:
                del unsubmitted[name]
        return []

    def _settle(self, requests: Iterable[Request]) -> None:
        if self._bill:
            for request in requests:
                self._bill.settle(request)

    def _paid_lines(self, requests: list[Request]) -> Iterator[tuple[Request, bytes]]:
        """The requests within the spending limit, with their lines in a batch.

        Batches already submitted are still awaited once it is reached.
        """
        for request in requests:
            try:
                if self._bill:
                    self._bill.reserve(request)
            except CapReached as reached:
                self._capped = reached
                return
            yield request, self._batches.line(request)

    def _keep(self, state: BatchState, batch: Batch, remote: Remote) -> None:
        self._check_id(remote.id)
        batch.batch_id = remote.id
        state.save()
        self._log(f"batch {batch.batch_id}: {len(batch.hashes)} requests submitted")

    def _import(
        self,
        state: BatchState,
        batch: Batch,
        remote: Remote,
        by_hash: Mapping[str, Request],
        counts: bool,
    ) -> Generator[tuple[Request, Response], None, list[Request]]:
        """Yields a batch's responses, and then returns the requests to submit again.

        Only then the batch is closed, so that no response is lost. ``counts``: whether it counts
        as an attempt at the requests that it leaves without a response.
        """
        requests = [by_hash[name] for name in batch.hashes if name in by_hash]
        reasons = dict.fromkeys((request.hash for request in requests), remote.reason)
        unseen = set(reasons)
        answered = 0
        # Twice, since a download may be truncated, and sending a request again costs again.
        for file_id in remote.files * 2:
            if not unseen:
                break
            self._check_id(file_id)
            for name, outcome in self._batches.replies(self._batches.result(file_id)):
                if name not in reasons:
                    continue
                request = by_hash[name]
                is_new = name in unseen
                unseen.discard(name)
                if isinstance(outcome, Response):
                    del reasons[name]
                    answered += 1
                    yield request, estimated(request, self.as_sent(request, outcome))
                    continue
                reasons[name] = outcome.reason
                paid = failed_attempt(outcome.reason, outcome.counts)
                if paid and is_new:
                    yield request, self.as_sent(request, paid)
        retried: dict[str, int] = {}
        for name, reason in reasons.items():
            attempts = state.attempts.get(name, 0) + counts
            if attempts < engine.ATTEMPTS:
                self.retries[reason] += 1
                retried[name] = attempts
            else:
                yield by_hash[name], Response("error", error=reason)
        self._settle(requests)
        self._log(f"batch {batch.batch_id}: {remote.status}, {answered} responses")
        state.close(batch, remote.status, retried, answered)
        return [by_hash[name] for name in retried]

    def _check_id(self, name: str) -> None:
        """Raises UserError where the provider's id of a file or batch contains the API key."""
        if MARK in name:
            raise UserError(
                f"server {self._access.address} uses the API key in the id of a file or batch, so "
                "that it cannot be stored; set batch to false, then run again"
            )
