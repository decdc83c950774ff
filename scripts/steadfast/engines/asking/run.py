"""One part of a benchmark through one model: fit, look up, ask, keep, write."""

import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from steadfast.base.commit import asked_of_git
from steadfast.base.errors import PassingError, UserError
from steadfast.base.files import Settings, write_json, write_jsonl
from steadfast.base.seal import Seal
from steadfast.contract.request import Item, Request, Response, output_record
from steadfast.engines.asking.conversation import converse
from steadfast.engines.asking.identity import identity
from steadfast.engines.asking.reasoning import holds_pair
from steadfast.engines.asking.requests import Asking
from steadfast.engines.base import Setup
from steadfast.engines.build import build_engine
from steadfast.engines.fit import fitted

SHOWN_FAILURES = 3
LASTING = re.compile(r"HTTP 4(?!0[89]|29)\d\d")
"""What the server will say again, of the reasons for which requests fail."""


def run_part(
    model: str,
    title: str,
    items: Iterable[Item],
    setup: Setup,
    replies: Seal,
    log: Path,
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> None:
    """Asks a model all items of a part and writes one record each, in their order.

    An item that follows another is asked after it, with the turns before. Killed at any
    instant and run again, it asks only what is not in the journal, and writes the bytes that an
    undisturbed run would have written. Requests with the same hash are asked once.

    Args:
        model: the model's name in the config.
        title: what runs, for the progress.
        items: what is asked.
        setup: what the engine is made of (docs/inference.md), and the journal, where the responses
            of a paid engine are kept for good.
        replies: the seal of what is written: outputs (JSON lines), and what produced them (JSON).
        log: lines about the run are appended to it.
        readable: whether the answer to a sample can be read, by sample id and text; one that
            cannot is asked for again, with the item's reminder. By default every answer can.
        attempts: times that it is asked for, at most.

    Raises:
        UserError: a prompt does not fit, the engine cannot go on, or more requests failed than
            ``allowed_failures``; what is answered stays in the journal.
    """
    started = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8", buffering=1) as lines, raise_on_sigterm():
        say = partial(print, file=lines)
        answers, journal = setup.answers, setup.journal
        assert journal is not None, "answers are kept somewhere"
        engine = build_engine(replace(setup, log=say))
        items = list(items)
        with ExitStack() as stack:
            reasoning = answers.get("reasoning")
            asking = Asking(model, title, engine, reasoning, journal, len(items), say, stack)

            def ask(some: list[Item]) -> list[tuple[Request, Response]]:
                requests = fitted(model, engine, answers, some)
                again = some[0].attempt > 1
                return list(zip(requests, asking.ask(requests, again), strict=True))

            exchanges = converse(items, ask, readable, attempts)
        requests = [exchange.request for exchange in exchanges]
        responses = [exchange.response for exchange in exchanges]
        _check_failures(model, responses, setup.operation.get("allowed_failures", 0.0))
        for warning in _warnings(model, responses, reasoning):
            say(warning)
            print(f"warning: {warning}", file=sys.stderr)
        records = (
            output_record(request, response) | ({"attempts": attempt} if attempts > 1 else {})
            for request, response, attempt in exchanges
        )
        write_jsonl(replies.files[0], records)
        made = identity(model, engine, answers, requests, responses, _commit())
        write_json(replies.identity, {**made, **replies.record})
        say(f"{model}: {len(requests)} records in {time.monotonic() - started:.1f} s")


def _commit() -> str | None:
    """The workflow's commit, with a plus sign where files differ from it; None outside git."""
    return asked_of_git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+")


def _check_failures(model: str, responses: list[Response], allowed: float) -> None:
    reasons = Counter(r.error for r in responses if r.status == "error")
    failed = reasons.total()
    if failed > allowed * len(responses):
        shown = [f"{count} × {reason}" for reason, count in reasons.most_common(SHOWN_FAILURES)]
        more = ", …" if len(reasons) > SHOWN_FAILURES else ""
        passing = not all(LASTING.match(reason or "") for reason in reasons)
        raise (PassingError if passing else UserError)(
            f"{failed} of {len(responses)} requests of model {model} failed "
            f"({', '.join(shown)}{more}); the answers so far are kept: run again to ask only "
            "those, or raise allowed_failures to go on without them"
        )


def _warnings(model: str, responses: list[Response], reasoning: Settings | None) -> Iterator[str]:
    """What a reader of the results should know of the model's thoughts."""
    total = len(responses)
    thoughts = sum(response.thought is not None for response in responses)
    if thoughts and reasoning is None:
        yield (
            f"{thoughts} of {total} replies of model {model} hold a thought, which took tokens of "
            "the answer's limit; set reasoning of the model, with the tokens that a thought may "
            "take (docs/reasoning.md)"
        )
    if reasoning is None and (pairs := sum(holds_pair(response.text) for response in responses)):
        yield (
            f"{pairs} of {total} answers of model {model} hold a pair of tags that may mark a "
            "thought, after other text, and are scored as they stand; set reasoning of the model "
            "if it thinks (docs/reasoning.md)"
        )
    if unfinished := sum(response.status == "unfinished" for response in responses):
        yield (
            f"{unfinished} of {total} replies of model {model} end before an answer and have no "
            "score; raise tokens under reasoning of the model, or max_tokens"
        )


@contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """SIGTERM unwinds the stack, so that the journal is closed, as Ctrl-C does anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    previous = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
