"""The Batch API of a provider: cheaper answers, within a day, never submitted twice."""

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

from steadfast.base.errors import PassingError, UserError
from steadfast.contract.request import Request, Response
from steadfast.engines.api import batch_files, engine
from steadfast.engines.api.batch_files import Batch, BatchState, Remote
from steadfast.engines.api.batches import Batches, Calls, P, T
from steadfast.engines.api.body import parsed
from steadfast.engines.api.client import Http, ServerReply
from steadfast.engines.api.pace import wait_of
from steadfast.engines.api.redaction import MARK
from steadfast.engines.api.replies import Retry, failure
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import CapReached, estimated, failed_attempt

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds between two looks at a batch: they double
REFUSED = 529
"""The status with which Anthropic turns a call away."""


class NoRoom(PassingError):
    """A server turns a call away since it has too much to do for the account."""


class BatchEngine(engine.ApiEngine):
    """Makes batches of requests, waits for them, and gives the replies by hash.

    A batch is written down before it is made and found again, so that a killed job re-attaches.
    What a batch leaves unanswered goes into a further one, up to ``ATTEMPTS``.
    """

    tier = "batch"

    def __init__(self, setup: Setup, provider: P, batches: Callable[[P, Calls], Batches[P]]):
        super().__init__(setup, provider)
        assert setup.journal is not None, "a batch must not be forgotten"
        self._state_path = BatchState.place(setup.journal)
        self._pause = FIRST_PAUSE
        self._batches_of: Callable[[], Batches[P]] = lambda: batches(provider, self)
        self._batches: Batches[P]  # while ``answer`` runs, as ``http``
        self.http: Http
        self._capped: CapReached | None = None

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        asked = {request.hash: request for group in groups for request in group}
        state = BatchState.load(self._state_path)
        self._provider.expect(groups)
        settings = self._access.client_settings(self._timeout)
        with Http(settings, self._provider.headers(settings["api_key"])) as self.http:
            self._batches = self._batches_of()
            for batch in [batch for batch in state.open if batch.batch_id is None]:
                remote = None if batch.file_id is None else self._batches.find(batch)
                if remote is None:  # nothing was made of it
                    state.open.remove(batch)
                    state.save()
                else:
                    self._keep(state, batch, remote)
            under_way = state.under_way
            if self._bill:
                for name in under_way & asked.keys():
                    self._bill.reserve(asked[name], sent=True)
            again = self._submit(state, [asked[name] for name in asked if name not in under_way])
            ends = self._batches.facts["ended"]
            while state.open:
                remotes = [(one, self._batches.look(str(one.batch_id))) for one in state.open]
                ended = [(batch, remote) for batch, remote in remotes if remote.status in ends]
                waits = len(ended) < len(remotes)  # for room, where too much is under way
                for batch, remote in ended:
                    counts = not (waits and remote.lacked_room)
                    again += yield from self._import(state, batch, remote, asked, counts)
                if not (waits and all(remote.lacked_room for _, remote in ended)):
                    again = self._submit(state, again)
                elif not ended:
                    self.pause()
        if self._capped:
            raise self._capped

    def _submit(self, state: BatchState, requests: list[Request]) -> list[Request]:
        """Makes batches, and returns what waits for room until one that is under way has ended."""
        facts = self._batches.facts
        lines = ((one, self._batches.line(one)) for one in self._paid(requests))
        left = {request.hash: request for request in requests}
        for chunk in batch_files.split(lines, facts["requests"], facts["bytes"]):
            batch = state.add(uuid.uuid4().hex, [request.hash for request, _ in chunk])
            content = [line for _, line in chunk]
            try:
                batch.file_id = self._batches.prepare(batch, content)
                self._check_id(batch.file_id)
                state.save()
                self._keep(state, batch, self._batches.create(batch, content))
            except NoRoom:
                if state.open == [batch]:
                    raise
                state.open.remove(batch)
                state.save()
                self._settle(left.values())
                return list(left.values())
            for name in batch.hashes:
                del left[name]
        return []

    def _settle(self, requests: Iterable[Request]) -> None:
        if self._bill:
            for request in requests:
                self._bill.settle(request)

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
        asked: Mapping[str, Request],
        counts: bool,
    ) -> Generator[tuple[Request, Response], None, list[Request]]:
        """Gives what a batch answered, and then returns what is to be asked again.

        Only then it is closed, so that no answer can be lost. It is an attempt if it ``counts``.
        """
        reasons = dict.fromkeys((h for h in batch.hashes if h in asked), remote.why)
        silent = set(reasons)
        answered = 0
        for file_id in remote.files * 2:  # a file may come cut; asking again is paid again
            if not silent:
                break
            self._check_id(file_id)
            for name, outcome in self._batches.replies(self._batches.result(file_id)):
                if name not in reasons:
                    continue
                request, is_new = asked[name], name in silent
                silent.discard(name)
                if isinstance(outcome, Response):
                    del reasons[name]
                    answered += 1
                    yield request, estimated(request, self.as_sent(request, outcome))
                    continue
                reasons[name] = outcome.reason
                paid = failed_attempt(outcome.reason, outcome.counts)
                if paid and is_new:
                    yield request, self.as_sent(request, paid)
        attempts = {name: state.attempts.get(name, 0) + counts for name in reasons}
        again = {name: made for name, made in attempts.items() if made < engine.ATTEMPTS}
        for name, reason in reasons.items():
            self.retries[reason] += name in again
            if name not in again:
                yield asked[name], Response("error", error=reason)
        self._settle(asked[name] for name in batch.hashes if name in asked)
        self._log(f"batch {batch.batch_id}: {remote.status}, {answered} answered")
        state.close(batch, remote.status, again, answered)
        return [asked[name] for name in again]

    def _check_id(self, given: str) -> None:
        """Raises UserError where the provider's name for a thing holds the key."""
        if MARK in given:
            raise UserError(
                f"server {self._access.address} names a file or batch by the API key, which is "
                "kept nowhere; set batch to false, then run again"
            )

    def value(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[object], T | None],
        unheard: Callable[[], T | None] = lambda: None,
    ) -> T:
        """What is read of a reply's JSON; ``unheard`` finds what a lost reply was about.

        The call is made ``ATTEMPTS`` times at most.
        """
        return self._call(send, lambda content: read(self._parsed(content)), unheard)

    def content(self, send: Callable[[], ServerReply]) -> bytes:
        """A reply's body, likewise."""
        return self._call(send, bytes)

    def pause(self) -> None:
        """Waits until a batch is worth another look."""
        time.sleep(self._pause)
        self._pause = min(LONGEST_PAUSE, 2 * self._pause)

    def _parsed(self, content: bytes) -> object:
        return parsed(self._access.redaction.content(content))

    def _call(
        self,
        send: Callable[[], ServerReply],
        read: Callable[[bytes], T | None],
        unheard: Callable[[], T | None] = lambda: None,
    ) -> T:
        from httpx2 import TransportError

        lost = False  # what was asked may be done all the same
        turned_away = 0
        for attempt in range(1, engine.ATTEMPTS + 1):
            after: float | None = None
            if lost and (found := unheard()) is not None:
                return found
            lost = True
            try:
                reply = send()
            except TransportError as error:
                reason = f"connection lost ({type(error).__name__})"
            except Exception as error:  # such as OverflowError, by a redirect to port 99999
                reason = f"the client failed ({type(error).__name__})"
            else:
                outcome = self._failure(reply)
                if outcome is not None:
                    # What stands before a server says 503 too, perhaps of a call that it passed on.
                    lost = outcome.broken and reply.status != REFUSED
                    turned_away += outcome.overloaded and not outcome.broken
                elif (found := read(reply.content)) is not None:
                    return found
                else:
                    outcome = Retry("a body that is no file or batch")
                reason, after = outcome.reason, outcome.after
            self.retries[reason] += 1
            if attempt < engine.ATTEMPTS:
                self._say_wait(reason, after)
                time.sleep(wait_of(after, attempt - 1))
        raise (NoRoom if turned_away == engine.ATTEMPTS else PassingError)(
            f"server {self._access.address} failed {engine.ATTEMPTS} times in a row ({reason}); "
            "run again later: the job re-attaches to its batches and submits none twice"
        )

    def _failure(self, reply: ServerReply) -> Retry | None:
        """Why a call failed that may succeed later; None where it did not fail."""
        if reply.status < 400:
            return None
        body = self._parsed(reply.content)
        if reply.status == 404:
            raise UserError(
                f"server {self._access.address} knows no such batch, file or model, or has no API "
                "of batches (HTTP 404); check batch, model and base_url, and where a batch was "
                f"deleted there, remove {self._state_path}, then run again: what is answered is "
                "not asked twice"
            )
        self._stop_if_hopeless(reply.status, body)
        outcome = failure(reply.status, body, reply.headers, time.time())
        if isinstance(outcome, Retry):
            return outcome
        raise UserError(
            f"server {self._access.address} does not take the batch "
            f"({outcome.error or outcome.status}); mend the settings or set batch to false, then "
            "run again"
        )
