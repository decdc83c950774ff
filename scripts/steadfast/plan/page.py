"""The page of a plan, for people."""

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
ROLES = {MODELS: "answers", JUDGES: "verdicts", REWRITERS: "rewrites"}
"""What each role is asked for."""
NOTES = """Tokens, hours and costs (USD) are of what is still to be requested, with the whole output
limit used; plan.csv has the same by part, and what is in the journals. Prompt tokens are logical,
distinct tokens are left when prompts of a context share their prefix. Cost is expected by the
documented rules of the provider's cache, without hits where these do not name the model; cost
uncached is the most that the prompts can cost. Hours are of the clock, GPU-hours of all GPUs;
requested is what the jobs ask for (docs/cost.md). Judges' rows take every answer to have 500
tokens; equal answers are judged once, so that rows with several repeats are at most. Sums leave out
what is not known of a model; the totals name it.
"""
OPTIONS_NOTES = """What the same requests cost by each option that has a price of its own, in USD. A
batch takes up to a day, flex is slower than live; service_tier and batch take them.
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
        options: what each pricing option of each job would cost.
        misfits: prompts that do not fit whole.
        notes: sentences on the text that is asked.
        remarks: sentences on hours that do not fit.
        waiting: benchmarks that wait for rewriters' replies.
    """
    yield from ("# Plan of the run", "")
    for note in notes:
        yield from (note, "")
    yield NOTES
    if sums:
        yield _table(list(sums[0]), [row | {"role": ROLES[row["role"]]} for row in sums])
    yield from ("", "## Totals", "")
    paid = [row for row in rows if row["engine"] not in WITHOUT_MODEL]
    yield from (f"- {line}" for line in (*total_lines(paid), *remarks))
    if waiting:
        yield f"- not counted, since they wait for rewriters' replies: {', '.join(waiting)}"
    if options:
        yield from ("", "## Pricing options", "", OPTIONS_NOTES)
        yield _options_table(options)
    yield from ("", "## Prompts that do not fit whole", "")
    yield from _misfit_lines(misfits)


def adaptive_section(benchmark: str, rounds: int) -> list[str]:
    """The lines on an adaptive run, whose rounds are all in the plan's rows."""
    return [
        "",
        f"## Adaptive run of {benchmark}",
        "",
        f"At most {rounds} rounds, which are what the table above has. A run ends earlier where "
        "the best model is known (docs/cost.md).",
    ]


def total_lines(rows: Sequence[Record]) -> Iterator[str]:
    """What all rows together take, and of which models something is not known."""
    if not rows:
        yield "nothing that takes time or money: only simulated models and replays answer"
        return
    by_role = {what: [row for row in rows if row["role"] == role] for role, what in ROLES.items()}
    parts = [f"{_requests(of)} for {what}" for what, of in by_role.items() if of]
    yield f"requests: {_requests(rows)} ({', '.join(parts)})"
    yield f"requests that the journal answers: {total(rows, 'known'):,}"
    distinct = total(rows, "ask_distinct_tokens")
    prompt = f"prompt tokens: {total(rows, 'ask_prompt_tokens'):,}, of which distinct {distinct:,}"
    if estimated := dict.fromkeys(row["model"] for row in rows if row["estimated"]):
        prompt += (
            f" (estimated by {ESTIMATE} for {', '.join(estimated)}, whose tokenizer is not on this "
            "machine)"
        )
    yield prompt
    yield f"completion tokens: {total(rows, 'ask_output_budget'):,} at most"
    yield f"hours: {_known(rows, 'hours')}{_without(rows, 'hours', 'throughput')}"
    gpu_hours = f"GPU-hours: {_known(rows, 'gpu_hours')}"
    if total(rows, "requested_gpu_hours") is not None:
        gpu_hours += f", beside {total(rows, 'load_gpu_hours') or 0:,.2f} of loading"
        gpu_hours += f"; {_known(rows, 'requested_gpu_hours')} requested"
    yield gpu_hours + _without(rows, "gpu_hours", "throughput")
    yield f"cost: {_cost(rows)}{_without(rows, 'cost', 'price')}"


def _requests(rows: Sequence[Record]) -> str:
    """Requests still to be asked; where equal ones may be among them that are asked once, so."""
    most = "at most " if any("at most" in row["judges"] for row in rows) else ""
    return f"{most}{total(rows, 'to_ask'):,}"


def _known(rows: Sequence[Record], name: str) -> str:
    value = total(rows, name)
    return "unknown" if value is None else f"{value:,.2f}"


def _without(rows: Sequence[Record], name: str, key: str) -> str:
    """Which models a sum leaves out, since the config does not have that key of them."""
    models = dict.fromkeys(row["model"] for row in rows if row[name] is None and row["to_ask"])
    return f" (without {', '.join(models)}: no {key} in the config)" if models else ""


def _cost(rows: Sequence[Record]) -> str:
    """What the rows cost: as expected, and without any hit where that is more."""
    expected, most = (_known(rows, name) for name in COSTS)
    if expected == most:
        return expected if expected == "unknown" else f"{expected} USD"
    return f"{expected} USD expected, {most} USD without cache hits"


def total(rows: Sequence[Record], column: str) -> Any:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None


def _options_table(options: Sequence[Record]) -> str:
    frame = pd.DataFrame(options)
    frame["role"] = frame["role"].map(ROLES)
    frame["option"] += np.where(frame["configured"], " (configured)", "")
    place = ["model", "role", "option"]
    sums = frame.groupby(place, sort=False)[list(COSTS)].sum().reset_index()
    return _table([*place, *COSTS], sums.to_dict("records"))


def _misfit_lines(misfits: Sequence[Record]) -> Iterator[str]:
    if not misfits:
        yield "None."
        return
    by_place = pd.DataFrame(misfits).groupby(["benchmark", "part", "model", "what"], sort=False)
    for (benchmark, part, model, what), samples in by_place["sample_id"]:
        shown = ", ".join(samples[:SAMPLES_SHOWN]) + (", …" if len(samples) > SAMPLES_SHOWN else "")
        yield f"- {benchmark} {part}, {model}: {len(samples)} {what} ({shown})"


def _table(columns: Sequence[str], rows: Sequence[Record]) -> str:
    """The rows as a Markdown table of the columns that have a value."""
    names = [name for name in columns if any(row[name] not in (None, "") for row in rows)]
    head = [name.replace("_", " ") for name in names]
    return markdown_table(
        head, ([_shown(row[name]) for name in names] for row in rows), padded=False
    )


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
