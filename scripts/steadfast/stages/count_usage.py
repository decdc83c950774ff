"""Usage of inference per job: tokens from the outputs, time and retries from the run records."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from steadfast.base.files import Record, Settings, read_rows, write_rows
from steadfast.contract.records import OutputRecord, RunRecord, read_outputs, read_runs
from steadfast.contract.request import ANSWERED, FINAL
from steadfast.engines.api.replies import REJECTED
from steadfast.engines.base import Latencies
from steadfast.engines.cost.bill import counted_cost
from steadfast.engines.sending.journal import kept_replies
from steadfast.engines.sending.requests import record_path
from steadfast.jobs.job import MODELS, Job
from steadfast.workflow.script import paths, run_rule

COLUMNS = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "written_tokens", "hit_rate", "output_tokens", "billed",
    "refused", "response_truncated", "unfinished", "empty",
    "wall_seconds", "answers_per_second", "latency_median", "latency_95", "runs", "retries",
    "rejected", "failures", "option", "planned",
)  # fmt: skip
Field = Literal["prompt_tokens", "cached_tokens", "written_tokens", "completion_tokens"]
# Columns with the sum of a field of the outputs.
SUMS: dict[str, Field] = {
    "logical_tokens": "prompt_tokens",
    "cached_tokens": "cached_tokens",
    "written_tokens": "written_tokens",
    "output_tokens": "completion_tokens",
}


def write_usage(
    jobs: Sequence[Job],
    outputs: Sequence[Path],
    prices: Mapping[str, Mapping[str, Settings]],
    results: Path,
    out: Path,
) -> None:
    """Writes a row per job, from its outputs and run records.

    ``prices`` has the prices of models, judges and rewriters, by role and name. The columns from
    ``wall_seconds`` on depend on the machine: only in these do equal runs differ.
    """
    rows: list[Record] = []
    planned = _planned(results)
    for job, path in zip(jobs, outputs, strict=True):
        # Equal requests were sent once.
        records = {record["request_hash"]: record for record in read_outputs(path)}
        journal = results / job.journal
        price = prices[job.role].get(job.name)
        billed = _billed(records, journal, price, planned.get(job)) if price else {}
        row = asdict(job) | {"billed": None, "planned": None} | billed
        rows.append(row | _tokens(list(records.values())) | _runs(read_runs(record_path(journal))))
    write_rows(out, COLUMNS, rows)


def _billed(
    records: Mapping[str, OutputRecord], journal: Path, price: Settings, planned: float | None
) -> Record:
    """The cost of the requests, by the outputs and the journal's pricing tiers.

    Also the plan's cost of their prompts, plus the cost of the actual responses.
    """
    tiers: dict[str, str | None] = {}
    attempts = 0.0  # cost of incomplete replies, which are billed too
    for request_hash, reply in kept_replies(journal):
        if reply.status in FINAL:
            tiers[request_hash] = reply.tier
        elif request_hash in records and (paid := counted_cost(price, asdict(reply))):
            attempts += paid[0]
    costs = []
    for request_hash, record in records.items():
        if cost := counted_cost(price, {**record, "tier": tiers.get(request_hash)}):
            costs.append(cost)
    if not costs:
        return {}
    billed = sum(total for total, _ in costs)
    responses = sum(response for _, response in costs)
    return {
        "billed": f"{billed + attempts:.6f}",
        "planned": None if planned is None else f"{planned + responses:.6f}",
    }


def _planned(results: Path) -> dict[Job, float]:
    """The plan's cost of the prompts of each job of a model, where a plan exists."""
    plan = results / "plan/plan.csv"
    costs = {}
    for row in read_rows(plan) if plan.is_file() else ():
        if row["role"] == MODELS and row["prompts_cost"]:
            job = Job("inference", row["benchmark"], row["model"], row["part"])
            costs[job] = float(row["prompts_cost"])
    return costs


def _tokens(records: Sequence[OutputRecord]) -> Record:
    """Sums over the requests; None where unknown."""
    totals: dict[str, int | None] = {}
    for column, field in SUMS.items():
        counts = [record.get(field) for record in records]
        known = [count for count in counts if count is not None]
        totals[column] = sum(known) if known else None
    statuses = Counter(record["status"] for record in records)
    responses = [record["response"] for record in records if record["status"] in ANSWERED]
    prompt = totals["logical_tokens"]
    cached = totals["cached_tokens"]
    return {
        **totals,
        "requests": len(records),
        "computed_tokens": None if prompt is None or cached is None else prompt - cached,
        "hit_rate": f"{cached / prompt:.4f}" if prompt and cached is not None else None,
        "refused": statuses["refused"],
        "response_truncated": statuses["length"],
        "unfinished": statuses["unfinished"],
        "empty": sum(not response.strip() for response in responses),
    }


def _runs(runs: Sequence[RunRecord]) -> Record:
    """Sums over the runs of a job, which may have been interrupted and continued."""
    seconds = sum(run["wall_seconds"] for run in runs)
    inference_seconds = seconds - sum(run.get("load_seconds", 0.0) for run in runs)
    answered = sum(run["answered"] for run in runs)
    speed = answered / inference_seconds if answered and inference_seconds > 0 else None
    latencies = Latencies(*(run.get("latencies", {}) for run in runs))
    retries: Counter[str] = Counter()
    for run in runs:
        retries.update(run.get("retries", {}))
    return {
        "wall_seconds": round(seconds, 1) if runs else None,
        "answers_per_second": _rounded(speed),
        "latency_median": _rounded(latencies.quantile(0.5)),
        "latency_95": _rounded(latencies.quantile(0.95)),
        "runs": len(runs),
        "retries": retries.total(),
        "rejected": sum(retries[reason] for reason in REJECTED),
        "failures": sum(run.get("failed", 0) for run in runs),
        "option": "; ".join(dict.fromkeys(run.get("option") or "" for run in runs)),
    }


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


if job := globals().get("snakemake"):
    out = Path(job.output.usage)
    run_rule(
        write_usage,
        job,
        jobs=[Job(*fields) for fields in job.params.jobs],
        outputs=paths(job.input.outputs),
        results=out.parents[1],
        out=out,
    )
