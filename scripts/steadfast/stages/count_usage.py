"""What inference took, per job: tokens from the outputs, time and retries from the run records."""

from collections.abc import Sequence
from pathlib import Path

from steadfast.engines.record import record_path
from steadfast.files import Record, read_json, read_jsonl, write_rows

COLUMNS = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "hit_rate", "output_tokens", "wall_seconds", "runs", "retries", "failures",
)  # fmt: skip


def write_usage(
    jobs: Sequence[Sequence[str]], outputs: Sequence[Path], results: Path, out: Path
) -> None:
    """Writes a row a job.

    Wall time, runs, retries and failures are facts of the runs on this machine: this is the one
    result that differs between two runs of the same config.

    Args:
        jobs: of each what ``evaluation.InferenceJob`` says.
        outputs: the outputs of each.
        results: folder of all results, which holds the run records.
        out: CSV.
    """
    rows: list[Record] = []
    for (benchmark, model, part, judge, _, journal), path in zip(jobs, outputs, strict=True):
        record = record_path(results / journal)
        runs = read_json(record)["runs"] if record.exists() else []
        rows.append(
            {
                "benchmark": benchmark,
                "model": model,
                "part": part,
                "judge": judge,
                **_tokens(list(read_jsonl(path))),
                **_runs(runs),
            }
        )
    write_rows(out, COLUMNS, rows)


def _tokens(records: Sequence[Record]) -> Record:
    """Sums over the requests, equal ones once; None where nothing is known."""
    asked = {record["request_hash"]: record for record in records}.values()

    def total(name: str) -> int | None:
        known = [record[name] for record in asked if record[name] is not None]
        return sum(known) if known else None

    prompt, cached = total("prompt_tokens"), total("cached_tokens")
    computed = None if prompt is None or cached is None else prompt - cached
    return {
        "requests": len(asked),
        "logical_tokens": prompt,
        "cached_tokens": cached,
        "computed_tokens": computed,
        "hit_rate": f"{cached / prompt:.4f}" if prompt and cached is not None else None,
        "output_tokens": total("completion_tokens"),
    }


def _runs(runs: Sequence[Record]) -> Record:
    return {
        "wall_seconds": round(sum(run["wall_seconds"] for run in runs), 1) if runs else None,
        "runs": len(runs),
        "retries": sum(sum(run["retries"].values()) for run in runs),
        "failures": sum(run["failed"] for run in runs),
    }
