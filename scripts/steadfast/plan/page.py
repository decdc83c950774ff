"""plan.md: the plan for people to read."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.base.markdown import markdown_table
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.engines.cost.forecast import REMAINING
from steadfast.engines.cost.options import COSTS
from steadfast.jobs.job import JUDGES, MODELS, REWRITERS
from steadfast.stats.tidy import records

ESTIMATE = "o200k_base"
SAMPLES_SHOWN = 5
HOURS = ("hours", "gpu_hours", "load_gpu_hours", "requested_gpu_hours")
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
    frame: pd.DataFrame,
    options: pd.DataFrame,
    misfits: Sequence[Record],
    notes: Iterable[str],
    remarks: Iterable[str],
    waiting: Sequence[str],
) -> Iterator[str]:
    """Yields the lines of the page.

    Args:
        frame: the rows of ``plan.csv``.
        options: the cost of each pricing option of each of these.
        misfits: prompts that are truncated or do not fit.
        notes: sentences on the data of the benchmarks.
        remarks: sentences on hours beyond a limit.
        waiting: benchmarks that wait for rewriters' replies.
    """
    yield from ("# Plan of the run", "")
    for note in notes:
        yield from (note, "")
    yield NOTES
    if len(frame):
        yield _table(sums_over_parts(frame))
    yield from ("", "## Totals", "")
    # Simulated models and replays take neither time nor money.
    paid = frame[~frame["engine"].isin(WITHOUT_MODEL)]
    for line in (*total_lines(paid), *remarks):
        yield f"- {line}"
    if waiting:
        yield f"- not planned, since prompts need rewriters' replies first: {', '.join(waiting)}"
    if len(options):
        yield from ("", "## Pricing options", "", OPTIONS_NOTES)
        configured = np.where(options["configured"], " (configured)", "")
        named = options.assign(option=options["option"] + configured)
        sums = named.groupby(["model", "role", "option"], sort=False)[list(COSTS)].sum()
        yield _table(sums.reset_index())
    yield from ("", "## Prompts that exceed the context window", "")
    yield from _misfit_lines(misfits)


def sums_over_parts(frame: pd.DataFrame) -> pd.DataFrame:
    """The plan's sums over parts, by benchmark, model and role."""
    keys = ["benchmark", "model", "role", "engine"]
    sums = ["requests", "cached", "remaining", *REMAINING, *HOURS, *COSTS]
    return frame.groupby(keys, sort=False)[sums].sum(min_count=1).reset_index()


def adaptive_section(benchmark: str, rounds: int) -> list[str]:
    """The lines on an adaptive run; the plan's rows are for all its rounds."""
    return [
        "",
        f"## Adaptive run of {benchmark}",
        "",
        f"At most {rounds} rounds; the table above is for all of them. The run ends earlier once "
        "the best model is identified (docs/cost.md).",
    ]


def total_lines(frame: pd.DataFrame) -> Iterator[str]:
    """The totals of all rows, and the models with unknown values."""
    if not len(frame):
        yield "no time and no cost: only simulated models and replays run"
        return
    parts = []
    for role, rows in frame.groupby("role", sort=False):
        parts.append(f"{_requests(rows)} for {ROLES[str(role)]}")
    yield f"requests: {_requests(frame)} ({', '.join(parts)})"
    yield f"cached in the journal: {frame['cached'].sum():,}"
    logical, distinct, output = frame[list(REMAINING)].sum()
    # The models whose tokens are estimated.
    names = ", ".join(frame.loc[frame["estimated"], "model"].unique())
    reason = f"estimated with {ESTIMATE} for {names}, whose tokenizer is not on this machine"
    estimated = f" ({reason})" if names else ""
    yield f"prompt tokens: {logical:,}, of which distinct {distinct:,}{estimated}"
    yield f"output tokens: at most {output:,}"
    yield f"hours: {_known(frame, 'hours')}{_without(frame, 'hours', 'throughput')}"
    gpu_hours = f"GPU-hours: {_known(frame, 'gpu_hours')}"
    if frame["requested_gpu_hours"].notna().any():
        gpu_hours += f", plus {frame['load_gpu_hours'].sum():,.2f} for loading models"
        gpu_hours += f"; {_known(frame, 'requested_gpu_hours')} requested"
    yield gpu_hours + _without(frame, "gpu_hours", "throughput")
    expected = _known(frame, "cost")
    highest = _known(frame, "cost_uncached")
    cost = expected if expected == "unknown" else f"{expected} USD"
    if expected != highest:
        cost = f"{expected} USD expected, {highest} USD without cache hits"
    yield f"cost: {cost}{_without(frame, 'cost', 'price')}"


def _requests(rows: pd.DataFrame) -> str:
    """Requests to send; at most so many where equal ones may be sent once."""
    bound = "at most " if rows["judges"].str.contains("at most").any() else ""
    return f"{bound}{rows['remaining'].sum():,}"


def _known(rows: pd.DataFrame, column: str) -> str:
    """A column's sum with two decimals."""
    return f"{rows[column].sum():,.2f}" if rows[column].notna().any() else "unknown"


def _without(rows: pd.DataFrame, column: str, key: str) -> str:
    """The models that a sum leaves out, since the config has no such key for them."""
    models = rows.loc[rows[column].isna() & (rows["remaining"] > 0), "model"].unique()
    return f" (without {', '.join(models)}: no {key} in the config)" if len(models) else ""


def _misfit_lines(misfits: Sequence[Record]) -> Iterator[str]:
    if not misfits:
        yield "None."
        return
    groups = pd.DataFrame(misfits).groupby(["benchmark", "part", "model", "what"], sort=False)
    for (benchmark, part, model, outcome), samples in groups["sample_id"]:
        names = ", ".join(samples[:SAMPLES_SHOWN]) + (", …" if len(samples) > SAMPLES_SHOWN else "")
        yield f"- {benchmark} {part}, {model}: {len(samples)} {outcome.replace('_', ' ')} ({names})"


def _table(frame: pd.DataFrame) -> str:
    """A frame as a Markdown table of the columns that have a value."""
    frame = frame.assign(role=frame["role"].map(ROLES)).dropna(axis="columns", how="all")
    rows = [[_cell(value) for value in row.values()] for row in records(frame)]
    return markdown_table([name.replace("_", " ") for name in frame], rows, padded=False)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value or "")
