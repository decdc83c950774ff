"""One part of a benchmark through one model: fit, look up, ask, keep, write."""

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from steadfast.engines.asking import Asking
from steadfast.engines.base import Engine
from steadfast.engines.build import build_engine
from steadfast.engines.conversation import Exchange, converse
from steadfast.engines.fit import fit
from steadfast.engines.identity import identity
from steadfast.engines.request import ANSWERED, Item, Oracle, Request, Response
from steadfast.errors import UserError
from steadfast.files import write_json, write_jsonl
from steadfast.tokens import load_tokenizer

SHOWN_FAILURES = 3


def run_part(
    model: str,
    answers: Mapping[str, Any],
    operation: Mapping[str, Any],
    items: Iterable[Item],
    oracle: Oracle,
    journal: Path,
    out: Path,
    identity_out: Path,
    log: Path,
    commit: str | None = None,
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> None:
    """Asks a model all items of a part and writes one record each, in their order.

    An item that follows another is asked after it, with what was said before. Killed at any
    instant and run again, it asks only what is not in the journal, and writes the bytes that an
    undisturbed run would have written. Requests with the same hash are asked once.

    Args:
        model: the model's name in the config.
        answers: what determines the responses: ``engine``, ``window``, ``on_overflow``,
            ``tokenizer``, and the engine's own (docs/inference.md).
        operation: how requests are sent: ``allowed_failures`` and the engine's own.
        items: what is asked.
        oracle: what engines without a model answer from.
        journal: where the responses of a paid engine are kept for good.
        out: the outputs, JSON lines.
        identity_out: what produced them, JSON.
        log: lines about the run are appended to it.
        commit: of the workflow, where it is known.
        readable: whether the answer to a sample can be read, by sample id and text; one that
            cannot is asked for again, with the item's reminder. By default every answer can.
        attempts: times that it is asked for, at most.

    Raises:
        UserError: a prompt does not fit, the engine cannot go on, or more requests failed than
            ``allowed_failures``; what is answered stays in the journal.
    """
    started = time.monotonic()
    with _lines(log) as say, _ending_by_exception():
        engine = build_engine(answers, operation, oracle, say, journal)
        items = list(items)
        with Asking(model, engine, journal, len(items), say) as asking:

            def ask(some: list[Item]) -> list[tuple[Request, Response]]:
                requests = fitted(model, engine, answers, some)
                again = some[0].attempt > 1
                return list(zip(requests, asking.ask(requests, again), strict=True))

            exchanges = converse(items, ask, readable, attempts)
        requests = [exchange.request for exchange in exchanges]
        responses = [exchange.response for exchange in exchanges]
        _check_failures(model, responses, operation.get("allowed_failures", 0.0))
        write_jsonl(out, _records(exchanges, attempts))
        write_json(identity_out, identity(model, engine, answers, requests, responses, commit))
        say(f"{model}: {len(requests)} records in {time.monotonic() - started:.1f} s")


def fitted(
    model: str, engine: Engine, answers: Mapping[str, Any], items: Iterable[Item]
) -> list[Request]:
    """The items as requests that fit the model, by its own settings.

    Raises:
        UserError: as of ``fit``.
    """
    window = answers.get("window")
    tokenizer = None
    if window:
        tokenizer = engine.tokenizer or load_tokenizer(answers.get("tokenizer") or "o200k_base")
    return fit(
        items,
        window,
        answers.get("on_overflow") or "error",
        tokenizer,
        model=model,
        answers=engine.answers,
        template_tokens=_template_tokens(engine, answers, tokenizer),
    )


def _template_tokens(engine: Engine, answers: Mapping[str, Any], tokenizer: Any) -> int:
    if tokenizer is None:
        return 0
    known = answers.get("template_tokens")
    return engine.template_tokens(tokenizer.count) if known is None else known


def _records(exchanges: Iterable[Exchange], attempts: int) -> Iterator[dict[str, Any]]:
    """The lines of the outputs; where answers may be asked for again, with the times it took."""
    for request, response, attempt in exchanges:
        record = output_record(request, response)
        yield {**record, "attempts": attempt} if attempts > 1 else record


def output_record(request: Request, response: Response) -> dict[str, Any]:
    """A line of the outputs."""
    answered = response.status in ANSWERED
    record = {
        "sample_id": request.sample_id,
        "request_hash": request.hash,
        "status": response.status,
        "text": response.text if answered else "",
        "finish_reason": response.finish_reason,
        "prompt_tokens": response.prompt_tokens,
        "cached_tokens": response.cached_tokens,
        "completion_tokens": response.completion_tokens,
        "truncated_tokens": request.truncated_tokens,
    }
    if response.logprobs is not None:
        record["logprobs"] = response.logprobs
    if response.error is not None:
        record["error"] = response.error
    return record


def _check_failures(model: str, responses: list[Response], allowed: float) -> None:
    reasons = Counter(r.error for r in responses if r.status == "error")
    failed = reasons.total()
    if failed > allowed * len(responses):
        shown = [f"{count} × {reason}" for reason, count in reasons.most_common(SHOWN_FAILURES)]
        more = ", …" if len(reasons) > SHOWN_FAILURES else ""
        raise UserError(
            f"{failed} of {len(responses)} requests of model {model} failed "
            f"({', '.join(shown)}{more}); the answers so far are kept: run again to ask only "
            "those, or raise allowed_failures to go on without them"
        )


@contextmanager
def _ending_by_exception() -> Iterator[None]:
    """SIGTERM unwinds the stack, so that the journal is closed, as Ctrl-C does anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: Any) -> None:
        sys.exit(128 + number)

    previous = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def _lines(path: Path) -> Iterator[Callable[[str], None]]:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8", buffering=1) as log:
        yield partial(print, file=log)
