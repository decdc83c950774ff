"""plan.md: the plan for people to read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.base.markdown import markdown_table
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.engines.cost.options import COSTS
from steadfast.jobs.job import JUDGES, MODELS, REWRITERS

ESTIMATE = "o200k_base"
SAMPLES_SHOWN = 5
# What is requested of each role.
ROLES = {MODELS: "responses", JUDGES: "verdicts", REWRITERS: "rewrites"}
NOTES = """Tokens, hours and costs (USD) are those of requests without a cached response, if each
response uses its output limit; plan.csv has them by part, and the cached ones too. Distinct tokens:
prompt tokens when prompts share the prefix of their context. Cost: expected by the documented rules
of the provider's prompt cache (without hits for models that these do not name); cost uncached: the
maximum, without cache hits. Hours: wall-clock time; GPU-hours: over all GPUs; requested: by the
jobs (docs/cost.md). Judges' rows assume responses of 500 tokens; equal responses are judged once,
so that rows with several repeats are upper bounds. Sums leave out unknown values; the totals name
these models.
"""
OPTIONS_NOTES = """Cost of the same requests with each pricing option, in USD. batch: results within
a day; flex: slower than live. Set batch: true or service_tier: flex to use them.
"""


def plan_page(
    rows: Sequence[Record],
    sums: Sequence[Record],
    options: Sequence[Record],
    misfits: Sequence[Record],
    notes: Iterable[str],
    remarks: Iterable[str],
    waiting: Sequence[str],
) -> Iterator[str]:
    """Yields the lines of the page.

    Args:
        rows: of ``plan.csv``.
        sums: of these, by benchmark, model and role.
        options: the cost of each pricing option of each job.
        misfits: prompts that are truncated or do not fit.
        notes: sentences on the data of the benchmarks.
        remarks: sentences on hours beyond a limit.
        waiting: benchmarks that wait for rewriters' replies.
    """
    yield from ("# Plan of the run", "")
    for note in notes:
        yield from (note, "")
    yield NOTES
    if sums:
        yield _table(list(sums[0]), [row | {"role": ROLES[row["role"]]} for row in sums])
    yield from ("", "## Totals", "")
    # Simulated models and replays take neither time nor money.
    paid = [row for row in rows if row["engine"] not in WITHOUT_MODEL]
    for line in (*total_lines(paid), *remarks):
        yield f"- {line}"
    if waiting:
        yield f"- not planned, since prompts need rewriters' replies first: {', '.join(waiting)}"
    if options:
        yield from ("", "## Pricing options", "", OPTIONS_NOTES)
        yield _options_table(options)
    yield from ("", "## Prompts that exceed the context window", "")
    yield from _misfit_lines(misfits)


def adaptive_section(benchmark: str, rounds: int) -> list[str]:
    """The lines on an adaptive run; the plan's rows have all its rounds."""
    return [
        "",
        f"## Adaptive run of {benchmark}",
        "",
        f"At most {rounds} rounds; the table above is for all of them. The run ends earlier once "
        "the best model is identified (docs/cost.md).",
    ]


def total_lines(rows: Sequence[Record]) -> Iterator[str]:
    """The totals of all rows, and the models with unknown values."""
    if not rows:
        yield "no time and no cost: only simulated models and replays run"
        return
    parts = []
    for role, kind in ROLES.items():
        role_rows = [row for row in rows if row["role"] == role]
        if role_rows:
            parts.append(f"{_requests(role_rows)} for {kind}")
    yield f"requests: {_requests(rows)} ({', '.join(parts)})"
    yield f"cached in the journal: {total(rows, 'cached'):,}"
    distinct = total(rows, "remaining_distinct_tokens")
    logical = total(rows, "remaining_prompt_tokens")
    yield f"prompt tokens: {logical:,}, of which distinct {distinct:,}{_estimated(rows)}"
    yield f"output tokens: at most {total(rows, 'remaining_output_budget'):,}"
    yield f"hours: {_known(rows, 'hours')}{_without(rows, 'hours', 'throughput')}"
    gpu_hours = f"GPU-hours: {_known(rows, 'gpu_hours')}"
    if total(rows, "requested_gpu_hours") is not None:
        gpu_hours += f", plus {total(rows, 'load_gpu_hours') or 0:,.2f} for loading models"
        gpu_hours += f"; {_known(rows, 'requested_gpu_hours')} requested"
    yield gpu_hours + _without(rows, "gpu_hours", "throughput")
    yield f"cost: {_cost(rows)}{_without(rows, 'cost', 'price')}"


def _requests(rows: Sequence[Record]) -> str:
    """Requests to send; at most so many where equal ones may be sent once."""
    bound = "at most " if any("at most" in row["judges"] for row in rows) else ""
    return f"{bound}{total(rows, 'remaining'):,}"


def _estimated(rows: Sequence[Record]) -> str:
    """The models whose tokens are estimated."""
    models = dict.fromkeys(row["model"] for row in rows if row["estimated"])
    if not models:
        return ""
    names = ", ".join(models)
    return f" (estimated with {ESTIMATE} for {names}, whose tokenizer is not on this machine)"


def _known(rows: Sequence[Record], column: str) -> str:
    """A column's sum with two decimals."""
    value = total(rows, column)
    return "unknown" if value is None else f"{value:,.2f}"


def _without(rows: Sequence[Record], column: str, key: str) -> str:
    """The models that a sum leaves out, since the config has no such key for them."""
    models = dict.fromkeys(row["model"] for row in rows if row[column] is None and row["remaining"])
    return f" (without {', '.join(models)}: no {key} in the config)" if models else ""


def _cost(rows: Sequence[Record]) -> str:
    """The cost of the rows: expected, and without cache hits where that is more."""
    expected = _known(rows, "cost")
    highest = _known(rows, "cost_uncached")
    if expected == highest:
        return expected if expected == "unknown" else f"{expected} USD"
    return f"{expected} USD expected, {highest} USD without cache hits"


def total(rows: Sequence[Record], column: str) -> Any:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None


def _options_table(options: Sequence[Record]) -> str:
    frame = pd.DataFrame(options)
    frame["role"] = frame["role"].map(ROLES)
    frame["option"] += np.where(frame["configured"], " (configured)", "")
    keys = ["model", "role", "option"]
    sums = frame.groupby(keys, sort=False)[list(COSTS)].sum().reset_index()
    return _table([*keys, *COSTS], sums.to_dict("records"))


def _misfit_lines(misfits: Sequence[Record]) -> Iterator[str]:
    if not misfits:
        yield "None."
        return
    groups = pd.DataFrame(misfits).groupby(["benchmark", "part", "model", "what"], sort=False)
    for (benchmark, part, model, outcome), samples in groups["sample_id"]:
        names = ", ".join(samples[:SAMPLES_SHOWN]) + (", …" if len(samples) > SAMPLES_SHOWN else "")
        yield f"- {benchmark} {part}, {model}: {len(samples)} {outcome.replace('_', ' ')} ({names})"


def _table(columns: Sequence[str], rows: Sequence[Record]) -> str:
    """The rows as a Markdown table of the columns that have a value."""
    filled: dict[str, list[str]] = {}
    for name in columns:
        cells = [_cell(row[name]) for row in rows]
        if any(cells):
            filled[name.replace("_", " ")] = cells
    return markdown_table(list(filled), zip(*filled.values(), strict=True), padded=False)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
