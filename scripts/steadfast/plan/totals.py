"""Rule plan_totals: what a whole run would take, over all benchmarks, models, judges, rewriters."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from steadfast.base.files import Record, write_rows, write_text
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.engines.cost.forecast import COSTS, HOURS, cost_text, markdown, total
from steadfast.plan.page import show
from steadfast.workflow.script import paths, run_rule

ALL = "all"
ANSWERS, VERDICTS, REWRITES = ROLES = ("answers", "verdicts", "rewrites")
COUNTS = (
    "requests", "known", "to_ask", "ask_prompt_tokens", "ask_distinct_tokens", "ask_output_budget",
)  # fmt: skip
SUMS = (*COUNTS, *HOURS, *COSTS)
COLUMNS = ("benchmark", "model", "role", "engine", *SUMS, "currency")
NOTES = """Tokens, hours and costs are of what is still to be asked, without what the journal has.
Cost is with a cache that holds whatever prompts share, cost uncached with none.
Distinct tokens are left when prompts of a context share their prefix. The output budget is the
limit of all answers together; verdicts take each reply to be readable at once. Hours are of one
model after the other, GPU-hours of all GPUs together; loading is beside them, and what the jobs ask
for is requested. Stand-ins and replays take nothing, and have
no row. Sums leave out what is not known of a model; the totals name it.
"""


def plan_totals(
    answers: Mapping[str, Path],
    rewrites: Mapping[str, Path],
    waiting: Sequence[str],
    asked: Sequence[str],
    out_md: Path,
    out_csv: Path,
) -> None:
    """Writes a row a benchmark, model and role, one a benchmark, and one over everything.

    Args:
        answers: the plan of each benchmark, as ``plan_requests`` writes it.
        rewrites: what rewriters would be asked of a benchmark, as ``plan_rewrites`` writes it.
        waiting: benchmarks that cannot be planned before rewriters have replied.
        asked: sentences that hold of the whole plan, such as what text is asked.
        out_md: the totals for people.
        out_csv: the same as rows; a cost of several currencies is no number there.
    """
    plans = [*((name, path, "") for name, path in answers.items())]
    plans += [(name, path, REWRITES) for name, path in rewrites.items()]
    rows = [row for name, path, role in plans for row in _rows(name, path, role)]
    summed = list(summed_rows(rows))
    write_rows(out_csv, COLUMNS, summed)
    write_text(out_md, "\n".join(_page(rows, summed, waiting, asked)) + "\n")


def summed_rows(rows: Sequence[Record]) -> Iterator[Record]:
    """The sums by benchmark, model and role, then by benchmark, then of all.

    Args:
        rows: of plans, with benchmark and role, of what costs something.

    Example:
        >>> row = {"benchmark": "b", "role": "answers", "engine": "vllm", "currency": "EUR"}
        >>> row |= {name: 1 for name in SUMS}
        >>> found = summed_rows([row | {"model": "m"}, row | {"model": "n", "currency": "USD"}])
        >>> [(of["benchmark"], of["model"], of["requests"], of["cost"]) for of in found]
        [('b', 'm', 1, 1), ('b', 'n', 1, 1), ('b', 'all', 2, None), ('all', 'all', 2, None)]
    """
    every = {"benchmark": ALL, "model": ALL, "role": ALL, "engine": ""}
    for keys in (("benchmark", "model", "role", "engine"), ("benchmark",), ()):
        groups: dict[tuple[str, ...], list[Record]] = {}
        for row in rows:
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
        for values, group in groups.items():
            yield every | dict(zip(keys, values, strict=True)) | _summed(group)


def _summed(rows: Sequence[Record]) -> Record:
    currencies = {row["currency"] for row in rows if row["currency"]}
    found: Record = {name: total(rows, name) for name in SUMS}
    if len(currencies) > 1:
        found |= dict.fromkeys(COSTS)
    return found | {"currency": currencies.pop() if len(currencies) == 1 else None}


def _rows(benchmark: str, path: Path, role: str) -> Iterator[Record]:
    """The rows of a plan that cost something: stand-ins and replays take nothing."""
    with open(path, encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["engine"] not in WITHOUT_MODEL:
                own = role or (VERDICTS if row["judges"] else ANSWERS)
                numbers = {name: float(row[name]) if row[name] else None for name in SUMS}
                counts = {name: int(row[name]) for name in COUNTS}
                yield row | numbers | counts | {"benchmark": benchmark, "role": own}


def _page(
    rows: Sequence[Record], summed: Sequence[Record], waiting: Sequence[str], asked: Iterable[str]
) -> Iterator[str]:
    yield from (
        "# Plan of the whole run",
        "",
        *(line for text in asked if text for line in (text, "")),
    )
    yield NOTES
    if summed:
        yield from markdown(summed, show, COLUMNS)
    yield from ("", "## Totals", "")
    yield from (f"- {line}" for line in total_lines(rows))
    if waiting:
        yield f"- not counted, since they wait for rewriters' replies: {', '.join(waiting)}"


def total_lines(rows: Sequence[Record]) -> Iterator[str]:
    """What all rows together take, and of which models something is not known."""
    if not rows:
        yield "nothing that takes time or money: only stand-ins and replays answer"
        return
    by_role = {role: [row for row in rows if row["role"] == role] for role in ROLES}
    parts = [f"{total(of, 'to_ask'):,} for {role}" for role, of in by_role.items() if of]
    yield f"requests: {total(rows, 'to_ask'):,} ({', '.join(parts)})"
    yield f"requests that the journal answers: {total(rows, 'known'):,}"
    distinct = total(rows, "ask_distinct_tokens")
    prompt = f"prompt tokens: {total(rows, 'ask_prompt_tokens'):,}, of which distinct {distinct:,}"
    estimated = dict.fromkeys(row["model"] for row in rows if row["estimated"] == str(True))
    counted = f"estimated for {', '.join(estimated)}, whose tokenizer is not on this machine"
    yield f"{prompt} ({counted})" if estimated else prompt
    yield f"completion tokens: {total(rows, 'ask_output_budget'):,} at most"
    yield f"hours: {_known(rows, 'hours')}{_without(rows, 'hours', 'throughput')}"
    gpu_hours = f"GPU-hours: {_known(rows, 'gpu_hours')}"
    if total(rows, "requested_gpu_hours") is not None:
        gpu_hours += f", beside {loading(rows):,.2f} of loading"
        gpu_hours += f"; {_known(rows, 'requested_gpu_hours')} requested"
    yield gpu_hours + _without(rows, "gpu_hours", "throughput")
    yield f"cost: {cost_text(rows) or 'unknown'}{_without(rows, 'cost', 'price')}"


def loading(rows: Sequence[Record]) -> float:
    """GPU-hours of loading: each benchmark's plan counts a load that all of them share."""
    loads: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        of = loads.setdefault((row["role"], row["model"]), {})
        of[row["benchmark"]] = of.get(row["benchmark"], 0.0) + (row["load_gpu_hours"] or 0.0)
    return sum(max(of.values()) for of in loads.values())


def _known(rows: Sequence[Record], name: str) -> str:
    value = total(rows, name)
    return "unknown" if value is None else f"{value:,.2f}"


def _without(rows: Sequence[Record], name: str, key: str) -> str:
    """Which models a sum leaves out, since the config does not have that key of them."""
    models = dict.fromkeys(row["model"] for row in rows if row[name] is None and row["to_ask"])
    return f" (without {', '.join(models)}: no {key} in the config)" if models else ""


if job := globals().get("snakemake"):
    run_rule(
        plan_totals,
        job,
        answers=dict(zip(job.params.planned, paths(job.input.answers), strict=True)),
        rewrites=dict(zip(job.params.rewritten, paths(job.input.rewrites), strict=True)),
        waiting=job.params.waiting,
        asked=job.params.asked,
        out_md=Path(job.output.md),
        out_csv=Path(job.output.csv),
    )
