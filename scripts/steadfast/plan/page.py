"""The pages of a plan, for people."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steadfast.base.files import Record
from steadfast.base.markdown import markdown_table
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.engines.cost.options import COSTS
from steadfast.run.job import JUDGES, MODELS, REWRITERS

ESTIMATE = "o200k_base"
SAMPLES_SHOWN = 5
ROLES = {MODELS: "answers", JUDGES: "verdicts", REWRITERS: "rewrites"}
"""What each role is asked for."""
NOTES = """Prompt tokens are logical: what the prompts would be without sharing. Distinct tokens are
left when prompts of a context share their prefix. Hours and costs are of what is still to be
requested (the columns "ask"), with the whole output limit used. Cost, in USD, is expected by the
documented rules of the provider's cache; cost uncached is without any hit, the most that the
prompts can cost. Hours are of the clock, GPU-hours of all GPUs; loading the model, once for its
jobs together, is beside them; requested is what the jobs ask for, within hardware.max_hours
(docs/cost.md). Judges' rows take every answer to have 500 tokens and each reply
to be readable at once; equal answers are judged once, so that rows with several draws are at most.
"""
TOTAL_NOTES = """Tokens, hours and costs (USD) are of what is still to be requested, without what
journals have; the columns are those of the benchmarks' pages. Stand-ins and replays take nothing,
and have no row. Sums leave out what is not known of a model; the totals name it.
"""
OPTIONS_NOTES = """What the same requests cost by each option that has a price of its own, in USD:
expected by the cache's documented rules, and without any hit. A batch takes up to a day, flex is
slower than live; service_tier and batch take them.
"""


def benchmark_page(
    name: str,
    columns: Sequence[str],
    rows: Sequence[Record],
    odd: Sequence[Record] = (),
    remark: str = "",
    misfits: Iterable[str] = (),
) -> list[str]:
    """Returns the lines of what each model and part takes, and of the prompts that do not fit."""
    lines = [f"# Plan of {name}", "", *([remark, ""] if remark else []), NOTES]
    lines += [_markdown(rows, columns), "", "## Totals", ""]
    paid = [row for row in rows if row["engine"] not in WITHOUT_MODEL]
    asked = [row for row in paid if not row["judges"]]
    lines.append(f"- still to be asked of models: {total(asked, 'to_ask') or 0:,} requests")
    if judged := [row for row in paid if row["judges"]]:
        lines.append(f"- to be asked of judges: {_requests(judged)} requests")
    lines += [f"- {line}" for line in (*gpu_hours_lines(rows), *misfits)]
    if costs_of_all := cost_text(rows):
        lines.append(f"- cost, of the models with prices: {costs_of_all}")
    if any(row["estimated"] for row in rows):
        lines.append(
            f"- where estimated is yes, {ESTIMATE} stands in for the model's own tokenizer, "
            "which is not on this machine: what the journal holds is not known"
        )
    lines += ["", "## Prompts that do not fit whole", ""]
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for row in odd:
        kinds.setdefault((row["model"], row["part"], row["what"]), []).append(row["sample_id"])
    for (model, part, what), samples in kinds.items():
        more = ", …" if len(samples) > SAMPLES_SHOWN else ""
        shown = ", ".join(samples[:SAMPLES_SHOWN])
        lines.append(f"- {model}, {part}: {len(samples)} {what} ({shown}{more})")
    return lines if kinds else [*lines, "None."]


def total_page(
    columns: Sequence[str],
    sums: Sequence[Record],
    rows: Sequence[Record],
    asked: Iterable[str],
    waiting: Sequence[str],
    misfits: Iterable[str],
) -> Iterator[str]:
    """Yields the lines of what a whole run takes, but for benchmarks that wait for rewriters."""
    yield from (
        "# Plan of the whole run",
        "",
        *(line for text in asked if text for line in (text, "")),
    )
    yield TOTAL_NOTES
    if sums:
        yield _markdown(sums, columns)
    yield from ("", "## Totals", "")
    yield from (f"- {line}" for line in (*total_lines(rows), *misfits))
    if waiting:
        yield f"- not counted, since they wait for rewriters' replies: {', '.join(waiting)}"


def total_lines(rows: Sequence[Record]) -> Iterator[str]:
    """What all rows together take, and of which models something is not known."""
    if not rows:
        yield "nothing that takes time or money: only stand-ins and replays answer"
        return
    by_role = {what: [row for row in rows if row["role"] == role] for role, what in ROLES.items()}
    parts = [f"{_requests(of)} for {what}" for what, of in by_role.items() if of]
    yield f"requests: {_requests(rows)} ({', '.join(parts)})"
    yield f"requests that the journal answers: {total(rows, 'known'):,}"
    distinct = total(rows, "ask_distinct_tokens")
    prompt = f"prompt tokens: {total(rows, 'ask_prompt_tokens'):,}, of which distinct {distinct:,}"
    estimated = dict.fromkeys(row["model"] for row in rows if row["estimated"])
    counted = f"estimated for {', '.join(estimated)}, whose tokenizer is not on this machine"
    yield f"{prompt} ({counted})" if estimated else prompt
    yield f"completion tokens: {total(rows, 'ask_output_budget'):,} at most"
    yield f"hours: {_known(rows, 'hours')}{_without(rows, 'hours', 'throughput')}"
    gpu_hours = f"GPU-hours: {_known(rows, 'gpu_hours')}"
    if total(rows, "requested_gpu_hours") is not None:
        gpu_hours += f", beside {total(rows, 'load_gpu_hours') or 0:,.2f} of loading"
        gpu_hours += f"; {_known(rows, 'requested_gpu_hours')} requested"
    yield gpu_hours + _without(rows, "gpu_hours", "throughput")
    yield f"cost: {cost_text(rows) or 'unknown'}{_without(rows, 'cost', 'price')}"


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


def cost_text(rows: Sequence[Record]) -> str:
    """What the rows cost: as expected, and without any hit where that is more; or nothing."""
    priced = [row for row in rows if row["cost"] is not None]
    if not priced:
        return ""
    expected, most = (f"{total(priced, name):,.2f} USD" for name in COSTS)
    return expected if expected == most else f"{expected} expected, {most} without cache hits"


def options_section(options: Sequence[Record]) -> Iterator[str]:
    """Yields the lines about what each pricing option of each model would cost."""
    sums: dict[tuple[str, str, str, bool], Record] = {}
    for row in options:
        place = row["model"], ROLES[row["role"]], row["option"], row["configured"]
        of = sums.setdefault(place, dict.fromkeys(COSTS, 0.0))
        for name in COSTS:
            of[name] += row[name]
    if not sums:
        return
    yield from ("", "## Pricing options", "", OPTIONS_NOTES)
    rows = [
        {"model": model, "role": role, "option": f"{name}{' (configured)' * configured}", **of}
        for (model, role, name, configured), of in sums.items()
    ]
    yield columns_table(["model", "role", "option", *COSTS], rows)


def records(frame: Any) -> list[Record]:
    """A frame's rows, with None where there is no value."""
    found: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def _markdown(rows: Sequence[Record], columns: Sequence[str]) -> str:
    """The rows as a Markdown table of the columns that have a value."""
    names = [name for name in columns if any(row[name] not in (None, "") for row in rows)]
    return columns_table(names, rows)


def columns_table(names: Sequence[str], rows: Iterable[Record]) -> str:
    """Columns of rows as a Markdown table."""
    head = [name.replace("_", " ") for name in names]
    return markdown_table(head, ([show(row[name]) for name in names] for row in rows), padded=False)


def gpu_hours_lines(rows: Sequence[Record]) -> Iterator[str]:
    """GPU-hours in all: expected, for loading, requested; and of whom they are not known."""
    known = [row for row in rows if row["requested_gpu_hours"] is not None]
    expected, loading, requested = (
        total(known, name) for name in ("gpu_hours", "load_gpu_hours", "requested_gpu_hours")
    )
    if requested is None:
        return
    if expected is None:
        yield f"GPU-hours: {requested:,.2f} requested; expected ones are not known"
    else:
        whole = expected + (loading or 0)
        times = f", {requested / whole:.1f} times as many" if requested and whole else ""
        yield (
            f"GPU-hours: {whole:,.2f} expected, {loading or 0:,.2f} of them for loading; "
            f"{requested:,.2f} requested{times}"
        )


def show(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.2f}"
    return str(value)


def total(rows: Sequence[Record], column: str) -> Any:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None
