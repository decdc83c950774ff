"""What LIFBench's figures share: texts, models in their order, sentences that count models."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd
from matplotlib.figure import Figure

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.contract.records import OVERALL
from steadfast.show import figures, panels
from steadfast.show.results import Note
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Group
from steadfast.show.table import rounded

STRINGS = facts("lifbench/figures.yaml")
AXES = STRINGS["axes"]
TITLES = STRINGS["titles"]
EMPTY = STRINGS["empty"]


def groups(results: LifbenchResults) -> list[Group]:
    """Returns the groups of models that a figure shows, as the tables have them."""
    return panels.pictured_groups(results.roster, results.ars[OVERALL, ""])[0]


def named(
    results: LifbenchResults, present: Collection[str] | None = None
) -> tuple[list[str], list[str]]:
    """Returns the models of these groups, or those of them that are present, and their labels."""
    models: list[str] = []
    for group in groups(results):
        models += [model for model in group.models if present is None or model in present]
    return models, [figures.wrap_label(results.roster.figure_label(model)) for model in models]


def captioned(
    results: LifbenchResults,
    name: str,
    figure: Figure,
    notes: Iterable[str],
    intervals: Iterable[pd.DataFrame] = (),
    of_models: bool = True,
    slots: Mapping[str, str] | None = None,
) -> figures.Picture:
    """Returns a figure with its caption, in which all numbers come from the metrics."""
    text = STRINGS["captions"][name].format(**results.slots, **(slots or {}))
    remarks: list[Note] = [(None, note) for note in notes]
    if any(map(figures.has_intervals, intervals)):
        unit = results.words["sampling_unit"]["unit"]
        remarks.append((None, SHARED["notes"]["intervals"].format(unit=unit)))
    # Names in figures bear no marks.
    remarks += [(None, note) for mark, note in results.notes if mark != "dagger"]
    if of_models:
        remarks += panels.pictured_groups(results.roster, results.ars[OVERALL, ""])[1]
    return figures.picture(figure, text, remarks)


def sentence(name: str, **slots: object) -> str:
    """Returns one of the sentences on what a figure shows."""
    return str(STRINGS["notes"][name].format(**slots))


def of_contenders(results: LifbenchResults, rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of the contenders."""
    return rows[rows["model"].isin(results.roster.contenders)]


def counted(results: LifbenchResults, name: str, holds: Mapping[str, bool], **slots: object) -> str:
    """Returns a sentence on the number of contenders of which something holds."""
    values = [holds[model] for model in results.roster.contenders if model in holds]
    n = f"{len(values)} models" if len(values) != 1 else "1 model"
    return sentence(name, k=sum(values), n=n, **slots) if values else ""


def listed(values: Mapping[str, float] | pd.Series, digits: int) -> str:
    """Returns names with their values: ``Format 0.123, Logic 0.045``."""
    return ", ".join(f"{name} {rounded(value, digits)}" for name, value in values.items())
