"""The requests of several parts in one pass through a loaded model, family by family.

A shorter context of a family is the beginning of the longer ones. Part by part, the model's prefix
cache would have dropped it before the next part came. In one pass the longest context is computed
once, and the shorter ones are read from the cache.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.contract.request import Item, Request, families, grouped
from steadfast.engines.base import Engine, EngineFailed, Setup, build_engine
from steadfast.engines.fit import fitted_requests
from steadfast.engines.sending.requests import Sender, turns_of
from steadfast.engines.sending.run import raise_on_sigterm


@dataclass(frozen=True)
class JointPart:
    """One part of a joint pass.

    Attributes:
        title: of its job, for the progress.
        items: all of the part; the first turns of their conversations are sent.
        setup: parameters of its engine, with the journal.
        log: of its job.
    """

    title: str
    items: Sequence[Item]
    setup: Setup
    log: Path


def answer_jointly(model: str, parts: Sequence[JointPart]) -> None:
    """Keeps responses to the first turns of all parts in the parts' journals.

    What is left to the parts' own runs: later turns, unreadable or failed responses, and parts
    whose prompts do not fit or whose settings of the engine differ from the first part's.

    Raises:
        EngineFailed: the engine can send no more; responses so far stay in the journals.
    """
    with ExitStack() as stack, raise_on_sigterm():
        engine: Engine | None = None
        requests: dict[str, Request] = {}
        owners: dict[str, Sender] = {}  # equal requests are sent once, for the first part
        for part in parts:
            part.log.parent.mkdir(parents=True, exist_ok=True)
            lines = stack.enter_context(open(part.log, "a", encoding="utf-8", buffering=1))
            report = partial(print, file=lines)
            part_engine = build_engine(replace(part.setup, log=report))
            engine = engine or part_engine
            if not part_engine.paid or part_engine.answers != engine.answers:
                continue
            try:
                turn = fitted_requests(
                    model, part_engine, part.setup.answers, turns_of(part.items)[0]
                )
            except UserError as error:  # its own run will raise it
                report(f"{model}: {error}")
                continue
            reasoning = part.setup.answers.get("reasoning")
            journal = part.setup.journal
            assert journal is not None, "responses need a journal"
            total = len(part.items)
            sender = Sender(model, part.title, engine, reasoning, journal, total, report, stack)
            for request in sender.unsent(turn):
                requests.setdefault(request.hash, request)
                owners.setdefault(request.hash, sender)
        counts = Counter(owners.values())
        if engine is None or len(counts) < 2:
            return  # the part's own run sends them
        for number, (sender, count) in enumerate(counts.items()):
            sender.begin(count, with_engine=number == 0)
        _send(engine, requests, owners)


def _send(engine: Engine, requests: Mapping[str, Request], owners: Mapping[str, Sender]) -> None:
    """Sends all requests; the time before each response counts for the part that it is of."""
    last = time.monotonic()
    try:
        for request, response in engine.answer(families(grouped(requests.values()))):
            now = time.monotonic()
            owners[request.hash].keep(request, response, seconds=now - last)
            last = now
    except EngineFailed:
        raise
    except UserError as error:  # the parts' own runs will raise it
        print(error)
