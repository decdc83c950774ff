"""The types of the records in the stages' files; benchmarks add fields of their own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from steadfast.base.errors import UserError
from steadfast.base.files import read_json, read_jsonl

# The name for all tasks (or categories, measures) together, in metrics.
OVERALL = "overall"
# How repeated requests are sent: one after the other, or all in one batch.
ALONE = "alone"
TOGETHER = "together"
# Whose prompts a score is about (its field ``prompts``), by default ``OWN``.
OWN = "own"
RELEASED = "released"


class Prompt(TypedDict):
    """A line of ``prompts``.

    ``long_context_id`` names its context, which ``before`` precedes; ``follows`` is the sample of
    the conversation's previous turn, and ``max_tokens`` the output limit.
    """

    sample_id: str
    task: str
    context_id: str
    before: NotRequired[str]
    long_context_id: NotRequired[str]
    instruction: str
    max_tokens: int
    follows: NotRequired[str | None]


class OutputRecord(TypedDict):
    """A line of ``outputs``, ``verdicts`` or ``rewrites``: one response (``request.Response``).

    ``attempts`` is the number of requests until a judge's or rewriter's reply was readable.
    """

    sample_id: str
    repeat: int
    request_hash: str
    status: str
    response: str
    reasoning: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    written_tokens: NotRequired[int | None]
    completion_tokens: int | None
    reasoning_tokens: int | None
    prompt_truncated_tokens: int
    error: NotRequired[str]
    attempts: NotRequired[int]


class Rating(TypedDict):
    """One rater's score of a response (``components.Score``)."""

    status: str
    points: dict[str, float | None] | None
    total: float | None


class ScoreRecord(Rating):
    """A line of ``scores``: the score of one response.

    ``prompts``: whose prompts they are, for released scores.
    """

    sample_id: str
    repeat: int
    task: str
    context_id: str
    prompt_truncated: bool
    empty: NotRequired[bool]
    judge: str | None
    extracted: Any
    other_raters: dict[str, Rating]
    prompts: NotRequired[str]


class ProvenanceRecord(TypedDict):
    """The provenance of a file of replies, beside it; engines add fields of their own."""

    model: str
    engine: str
    answers: dict[str, Any]
    fitting: dict[str, Any]
    packages: dict[str, str]
    commit: str | None
    served: list[dict[str, Any]]
    statuses: dict[str, int]
    empty: int
    tokens: dict[str, int]


class RunRecord(TypedDict):
    """The usage of one run of an inference job, in the record beside its journal.

    ``wall_seconds`` include ``load_seconds``; ``retries`` are by reason, ``latencies`` by bin
    (``engines.base``). ``option`` is the pricing option of a model behind an API.
    """

    wall_seconds: float
    load_seconds: float
    answered: int
    failed: int
    retries: dict[str, int]
    latencies: dict[str, int]
    prompt_tokens: int
    computed_tokens: int
    output_tokens: int
    machine: str | None
    option: NotRequired[str | None]


def read_prompts(path: Path) -> Iterator[Prompt]:
    """The lines of a prompts file."""
    return cast(Iterator[Prompt], read_jsonl(path))


def read_outputs(path: Path) -> Iterator[OutputRecord]:
    """The lines of a file of outputs, verdicts or rewrites."""
    return cast(Iterator[OutputRecord], read_jsonl(path))


def read_score_records(path: Path) -> Iterator[ScoreRecord]:
    """The lines of a score file, unchecked (``stats.scores.read_scores`` checks them)."""
    return cast(Iterator[ScoreRecord], read_jsonl(path))


def read_provenance(path: Path) -> ProvenanceRecord:
    """The provenance of a file of replies."""
    return cast(ProvenanceRecord, read_json(path))


def read_runs(path: Path) -> list[RunRecord]:
    """The usage of a job's runs; empty before the first one."""
    if not path.exists():
        return []
    record = read_json(path)
    runs = record.get("runs") if isinstance(record, dict) else None
    if not isinstance(runs, list) or not all(map(_is_run, runs)):
        raise UserError(
            f"{path}: damaged record of past runs' usage; remove it (it has no responses) and run "
            "again"
        )
    return cast(list[RunRecord], runs)


def _is_run(run: object) -> bool:
    """Whether a value has the types of a ``RunRecord``; earlier versions wrote fewer fields."""
    if not isinstance(run, dict) or not {"wall_seconds", "answered"} <= run.keys():
        return False
    for name, value in run.items():
        if name in ("retries", "latencies"):
            valid = isinstance(value, dict) and all(type(count) is int for count in value.values())
            if name == "latencies":
                valid = valid and all(re.fullmatch(r"-?\d{1,4}", bin_name) for bin_name in value)
        elif name in ("machine", "option"):
            valid = value is None or isinstance(value, str)
        else:
            # An earlier version wrote true for one response.
            valid = name not in RunRecord.__annotations__ or isinstance(value, int | float)
        if not valid:
            return False
    return True
