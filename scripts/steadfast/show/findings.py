"""A run's findings in a few sentences, from the summary's numbers."""

import math
from collections.abc import Mapping

from steadfast.base.resources import facts
from steadfast.show.summary import MODELS_NAMED, RunSummary, SummaryMeasure
from steadfast.show.table import rounded
from steadfast.stats.tidy import EFFECTIVE
from steadfast.stats.ties import COLUMNS as TIES

STRINGS: Mapping[str, str] = facts("summary.yaml")["findings"]


def findings(summary: RunSummary) -> list[str]:
    """Returns sentences on the highest scores, ties with them, effective context lengths and gaps.

    Only models that compete (``Roster.contenders``) are named, by each benchmark's main measure. A
    sentence that has nothing to report is left out.
    """
    roster = summary.roster
    ranked = [
        measure for measure in summary.main_measures if roster.contenders_among(measure.values)
    ]
    sentences = []
    for name, clause, measures in (
        ("leaders", _leader, ranked),
        ("ties", _ties, ranked),
        ("untested", _untested, ranked),
        ("lengths", _lengths, ranked),
        ("missing", _missing, summary.measures),
    ):
        clauses = list(filter(None, (clause(summary, measure) for measure in measures)))
        if clauses:
            sentences.append(STRINGS[name].format(found="; ".join(clauses)))
    return sentences


def _ranked(summary: RunSummary, measure: SummaryMeasure) -> list[str]:
    """Returns the contenders that have a value, the best first."""
    values = measure.values
    return sorted(
        summary.roster.contenders_among(values), key=lambda model: (-values[model], model)
    )


def _leader(summary: RunSummary, measure: SummaryMeasure) -> str:
    ranked = _ranked(summary, measure)
    values = measure.values
    leader = summary.roster.label(ranked[0])
    value = rounded(values[ranked[0]], measure.digits)
    slots = {"benchmark": measure.benchmark, "measure": measure.name, "model": leader}
    if len(ranked) == 1:
        return STRINGS["alone"].format(value=value, **slots)
    gap = rounded(values[ranked[0]] - values[ranked[1]], measure.digits)
    second = summary.roster.label(ranked[1])
    return STRINGS["leader"].format(value=value, gap=gap, second=second, **slots)


def _ties(summary: RunSummary, measure: SummaryMeasure) -> str:
    """Returns the models that do not differ significantly from the leader by the paired test."""
    ranked = _ranked(summary, measure)
    rows = measure.rows.set_index("model")
    not_distinguished = rows.loc[ranked[0], "not_distinguished"].split()
    tied = [model for model in ranked if model in not_distinguished]
    if not tied:
        return ""
    return STRINGS["tied"].format(benchmark=measure.benchmark, models=summary.named(tied))


def _untested(summary: RunSummary, measure: SummaryMeasure) -> str:
    """Returns what was sampled where that is too little to tell the leader from any other model."""
    ranked = _ranked(summary, measure)
    if len(ranked) < 2:
        return ""
    leader = measure.rows.set_index("model").loc[ranked[0]]
    if not leader["sampled"] or any(leader[[*TIES]]):
        return ""
    return STRINGS["sampled"].format(benchmark=measure.benchmark, sampled=leader["sampled"])


def _lengths(summary: RunSummary, measure: SummaryMeasure) -> str:
    """Returns the effective context lengths, where the summary has them."""
    name, interval = EFFECTIVE
    rows = measure.rows.set_index("model")
    reached = [model for model in _ranked(summary, measure) if rows.loc[model, name]]
    texts = []
    for model in reached[:MODELS_NAMED]:
        slots = {"length": rows.loc[model, name], "interval": rows.loc[model, interval]}
        texts.append(STRINGS["reached"].format(model=summary.roster.label(model), **slots))
    if not texts:
        return ""
    return STRINGS["lengths_of"].format(benchmark=measure.benchmark, found=", ".join(texts))


def _missing(summary: RunSummary, measure: SummaryMeasure) -> str:
    lacking = measure.rows[measure.rows["n"] < measure.rows["expected"]]
    if lacking.empty:
        return ""
    models = summary.named(lacking["model"].tolist())
    lowest = float((lacking["n"] / lacking["expected"]).min())
    share = math.floor(100 * lowest)  # never more than there is
    return STRINGS["lacking"].format(measure=measure.label, models=models, share=share)
