"""What inference took, per job: tokens from the outputs, time and retries from the run records."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steadfast.engines.record import record_path
from steadfast.files import Record, read_json, read_jsonl, write_text
from steadfast.inference import journal_path, verdicts_journal_path

COLUMNS = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "hit_rate", "output_tokens", "wall_seconds", "runs", "retries", "failures",
)  # fmt: skip


def write_usage(
    jobs: Sequence[tuple[str, str, str, str]], outputs: Sequence[Path], out: Path
) -> None:
    """Writes a row a job.

    Wall time, runs, retries and failures are facts of the runs on this machine: this is the one
    result that differs between two runs of the same config.

    Args:
        jobs: benchmark, model, part and judge of each; no judge ("") where the model answers.
        outputs: the outputs of each.
        out: CSV.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (benchmark, model, part, judge), path in zip(jobs, outputs, strict=True):
        record = record_path(
            verdicts_journal_path(benchmark, judge, model, part)
            if judge
            else journal_path(benchmark, model, part)
        )
        runs = read_json(record)["runs"] if record.exists() else []
        row = {
            "benchmark": benchmark,
            "model": model,
            "part": part,
            "judge": judge,
            **_tokens(list(read_jsonl(path))),
            **_runs(runs),
        }
        writer.writerow([row[column] for column in COLUMNS])
    write_text(out, text.getvalue())


def _tokens(records: Sequence[Record]) -> dict[str, Any]:
    """Sums over the requests, equal ones once; None where nothing is known."""
    asked = {record["request_hash"]: record for record in records}.values()

    def total(name: str) -> int | None:
        known = [record[name] for record in asked if record[name] is not None]
        return sum(known) if known else None

    prompt, cached = total("prompt_tokens"), total("cached_tokens")
    known = prompt is not None and cached is not None
    return {
        "requests": len(asked),
        "logical_tokens": prompt,
        "cached_tokens": cached,
        "computed_tokens": prompt - cached if known else None,
        "hit_rate": f"{cached / prompt:.4f}" if known and prompt else None,
        "output_tokens": total("completion_tokens"),
    }


def _runs(runs: Sequence[Record]) -> dict[str, Any]:
    return {
        "wall_seconds": round(sum(run["wall_seconds"] for run in runs), 1) if runs else None,
        "runs": len(runs),
        "retries": sum(sum(run["retries"].values()) for run in runs),
        "failures": sum(run["failed"] for run in runs),
    }
