"""Runs one part of a benchmark through one model, and writes outputs and provenance."""

import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import cast

from steadfast import __version__
from steadfast.base import commit
from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import Record, Settings, canonical_json, write_json, write_jsonl
from steadfast.base.provenance import Provenance
from steadfast.base.tokens import fingerprint
from steadfast.contract.records import ProvenanceRecord
from steadfast.contract.request import ANSWERED, STATUSES, Item, Request, Response, output_record
from steadfast.engines.base import FITTING, Engine, Setup, build_engine
from steadfast.engines.fit import fitted_requests
from steadfast.engines.sending.reasoning import has_tag_pair
from steadfast.engines.sending.requests import Sender, converse

SHOWN_FAILURES = 3
# Token counts that the provenance sums up.
COUNTED = ("prompt", "cached", "completion", "reasoning")
# Reasons of failures that would recur when the job runs again.
PERMANENT = re.compile(r"HTTP 4(?!0[89]|29)\d\d")


def run_part(
    model: str,
    title: str,
    items: Iterable[Item],
    setup: Setup,
    replies: Provenance,
    log: Path,
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> None:
    """Sends all items of a part to a model and writes a record for each, in their order.

    An item that follows another is sent after it, with the turns before. Killed at any instant and
    run again, it sends only requests that are not in the journal, and writes the same bytes as an
    uninterrupted run. Requests with the same hash are sent once.

    Args:
        title: of the job, for the progress.
        setup: the parameters of the engine (docs/inference.md), and the journal, where the
            responses of a paid engine are kept.
        replies: the provenance of the files: outputs (JSON lines), and how they were made (JSON).
        readable: whether the response to a sample is readable, by sample id and text; others are
            re-requested, with the item's reminder. By default every response is.

    Raises:
        UserError: a prompt does not fit, the engine cannot continue, or more requests failed than
            ``allowed_failures``; responses so far stay in the journal.
    """
    started = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8", buffering=1) as lines, raise_on_sigterm():
        report = partial(print, file=lines)
        answers = setup.answers
        assert setup.journal is not None, "responses need a journal"
        items = list(items)
        engine = build_engine(replace(setup, log=report))
        with ExitStack() as stack:
            reasoning = answers.get("reasoning")
            sender = Sender(
                model, title, engine, reasoning, setup.journal, len(items), report, stack
            )

            def send(turn: list[Item]) -> list[tuple[Request, Response]]:
                requests = fitted_requests(model, engine, answers, turn)
                responses = sender.send(requests, is_retry=turn[0].attempt > 1)
                return list(zip(requests, responses, strict=True))

            exchanges = converse(items, send, readable, attempts)
        requests: list[Request] = []
        responses: list[Response] = []
        records = []
        for request, response, attempt in exchanges:
            requests.append(request)
            responses.append(response)
            attempt_count = {"attempts": attempt} if attempts > 1 else {}
            records.append(output_record(request, response) | attempt_count)
        # Before any file is written: outputs with too many failures would count as finished.
        _check_failures(model, responses, setup.operation.get("allowed_failures", 0.0))
        for warning in _warnings(model, responses, reasoning):
            report(warning)
            print(f"warning: {warning}", file=sys.stderr)
        write_jsonl(replies.files[0], records)
        record = provenance(model, engine, answers, requests, responses)
        write_json(replies.path, {**record, **replies.record})
        report(f"{model}: {len(requests)} records in {time.monotonic() - started:.1f} s")


def _check_failures(model: str, responses: list[Response], allowed: float) -> None:
    reasons = Counter(response.error for response in responses if response.status == "error")
    failed = reasons.total()
    if failed > allowed * len(responses):
        texts = [f"{count} × {reason}" for reason, count in reasons.most_common(SHOWN_FAILURES)]
        ellipsis = ", …" if len(reasons) > SHOWN_FAILURES else ""
        may_pass = not all(PERMANENT.match(reason or "") for reason in reasons)
        raise (TemporaryError if may_pass else UserError)(
            f"{failed} of {len(responses)} requests of model {model} failed "
            f"({', '.join(texts)}{ellipsis}); responses so far are cached: run again to re-request "
            "only the failed ones, or raise allowed_failures to continue without them"
        )


def _warnings(model: str, responses: list[Response], reasoning: Settings | None) -> Iterator[str]:
    """Warnings about the model's reasoning."""
    total = len(responses)
    counts: Counter[str] = Counter()
    for response in responses:
        counts["reasoning"] += response.reasoning is not None
        counts["pairs"] += reasoning is None and has_tag_pair(response.text)
        counts["unfinished"] += response.status == "unfinished"
    if counts["reasoning"] and reasoning is None:
        yield (
            f"{counts['reasoning']} of {total} responses of model {model} contain reasoning, which "
            "uses up the response's output limit; set reasoning for the model, with its token "
            "limit (docs/reasoning.md)"
        )
    if counts["pairs"]:
        yield (
            f"{counts['pairs']} of {total} responses of model {model} contain a pair of tags that "
            "may mark reasoning, after other text, and are scored unchanged; set reasoning for the "
            "model if it is a reasoning model (docs/reasoning.md)"
        )
    if counts["unfinished"]:
        yield (
            f"{counts['unfinished']} of {total} replies of model {model} end before the reasoning "
            "does and have no score; raise reasoning.tokens of the model, or max_tokens"
        )


@contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """Makes SIGTERM raise SystemExit, so that the journal is closed as by Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    previous = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def provenance(
    model: str,
    engine: Engine,
    answers: Settings,
    requests: Sequence[Request],
    responses: Sequence[Response],
) -> ProvenanceRecord:
    """Model, settings, versions and token counts, the same after a resumed run (promise 9).

    It contains no time, host, address, path or key; of examples it has number and checksum.
    """
    served: Counter[tuple[str | None, str | None]] = Counter()
    statuses = Counter(response.status for response in responses)
    tokens = dict.fromkeys(COUNTED, 0)
    empty = 0
    in_parts = 0
    for response in responses:
        if response.served_model or response.fingerprint:
            served[response.served_model, response.fingerprint] += 1
        for name in COUNTED:
            tokens[name] += getattr(response, f"{name}_tokens") or 0
        empty += response.status in ANSWERED and not response.text.strip()
        in_parts += response.parts is not None
    tokens["prompt_truncated"] = sum(request.prompt_truncated_tokens for request in requests)
    packages = {"steadfast": __version__}
    counting = ("tiktoken",) if answers.get("window") else ()
    for name in (*engine.packages, *counting):
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            packages[name] = "not installed"
    fitting = {key: answers[key] for key in sorted(answers.keys() & FITTING - {"engine"})}
    if "examples" in fitting:  # they may be long
        content = canonical_json(fitting["examples"])
        number = len(fitting["examples"])
        fitting["examples"] = {"number": number, "sha256": fingerprint(content)}
    models: list[Record] = []
    for (served_model, machine), count in sorted(served.items(), key=str):
        models.append({"model": served_model, "fingerprint": machine, "responses": count})
    record: ProvenanceRecord = {
        "model": model,
        "engine": answers["engine"],
        "answers": engine.answers,
        "fitting": fitting,
        "packages": packages,
        "commit": commit.current_commit(),
        "served": models,
        "statuses": {status: statuses[status] for status in STATUSES if statuses[status]},
        "empty": empty,
        "tokens": tokens,
    }
    fields: Record = {**record}
    if in_parts:  # content parts, which a model reads as one text
        fields["prompts"] = {
            "as one string": len(responses) - statuses["error"] - statuses["overflow"] - in_parts,
            "in parts": in_parts,
            "parts read as": "the same text",
        }
    return cast(ProvenanceRecord, fields | engine.provenance())
