"""The plan's rows by path: what each way to ask a model behind an API would cost."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pandas as pd

from steadfast.base.files import Record, Settings
from steadfast.engines.cost.paths import COSTS, SUMS, TOKENS
from steadfast.plan.page import ROLES, columns_table, records

PLACE = ("benchmark", "role", "model", "part", "path")
COLUMNS = (*PLACE, "taken", *SUMS, "currency", "hours")
OF_MODEL = ("model", "role", "path", "settings", "by_cost", "currency")
SHOWN = ("requests", *TOKENS, *COSTS, "hours")
NOTES = """Each way to ask a model, of what is still to be asked: the prompt tokens that are paid
for plainly, read from the provider's cache, and written to it where that has a price. Cost no hits
is where the cache never has anything, by order where it has all that the order of the prompts lets
it, expected with as many of these hits as were reported (resources/engines/caches.yaml); answers
take their whole limit, which is in each (of answers). Hours are expected live; a batch takes up to
a day, and flex is slower than live. These are the
providers' documented rules; docs/cost.md says what was tried.
"""
TAKEN = {0: "", 1: " (taken)"}
OF_TAKEN = dict(zip(("cost_uncached", "cost"), COSTS[:2], strict=True))
"""Columns of the plan, and what they are of the path that the config takes."""


def taken_costs(paths: Iterable[Record], price: Settings | None, *, asked: bool) -> Record:
    """What the plan's columns of costs are by the path that is taken.

    Nothing where sums of tokens tell as well: no token is written, no prompt is dearer for its
    length, and no tier is cheaper. Not ``asked``: all is answered.
    """
    plain: Settings = {"above": [], "written": None, "flex": 1, "batch": 1}
    taken = [one for one in paths if one["taken"]]
    if not price or not taken or plain == {name: price[name] for name in plain}:
        return {}
    return {
        f"{whole}{name}": sum(one[f"{whole}{of}"] for one in taken) if asked or whole else 0.0
        for name, of in OF_TAKEN.items()
        for whole in ("", "whole_")
    }


def summed_paths(jobs: Iterable[tuple[Record, Sequence[Record]]]) -> list[Record]:
    """The paths of all jobs, each with the job's row; equal places and paths are one.

    A path that some jobs of a place take, and others do not, has two rows.
    """
    rows = [
        {
            **{name: job[name] for name in PLACE[:-1]},
            "currency": job["currency"],
            "hours": float("nan") if path["tier"] or job["hours"] is None else job["hours"],
            **path,
        }
        for job, paths in jobs
        for path in paths
    ]
    if not rows:
        return []
    grouped = pd.DataFrame(rows).groupby([*PLACE, "taken"], sort=False)
    firsts = grouped[["currency", "settings", "by_cost"]].first()
    sums = grouped[[*SUMS, "hours"]].sum(min_count=1).join(firsts).reset_index()
    return records(sums)


def paths_section(rows: Sequence[Record]) -> Iterator[str]:
    """Yields the lines of a page about all models' paths, and the cheapest of each."""
    if not rows:
        return
    yield from ("", "## Paths", "", NOTES)
    heads = [*OF_MODEL[:3], *SHOWN, "currency"]
    shown = _of_models(rows)
    for row in shown:
        row["path"] += TAKEN.get(row["taken"], " (taken by some jobs)")
    yield columns_table(heads, shown)


def advice(rows: Sequence[Record]) -> Iterator[str]:
    """Yields of each model whose keys take another path than the one expected to be cheapest."""
    for _, group in groupby(_of_models(rows), key=lambda row: (row["model"], row["role"])):
        own = list(group)
        best = min(own, key=lambda row: float(row["cost_expected"]))
        taken = next((row for row in own if row["taken"]), best)
        if not best["by_cost"] and best["cost_expected"] < taken["cost_expected"]:
            yield (
                f"{best['role']} of {best['model']}: cheapest is {best['path']}{best['settings']}, "
                f"{best['cost_expected']:,.2f} {best['currency']} expected; as configured "
                f"({taken['path']}) {taken['cost_expected']:,.2f}; path: cheapest takes it"
            )


def _of_models(rows: Sequence[Record]) -> list[Record]:
    """The sums by model, role and path."""
    if not rows:
        return []
    frame = pd.DataFrame(rows).astype({"hours": float})
    grouped = frame.groupby(list(OF_MODEL), sort=False)
    sums = grouped[list(SHOWN)].sum(min_count=1).join(grouped["taken"].mean()).reset_index()
    return [{**one, "role": ROLES[one["role"]]} for one in records(sums)]
