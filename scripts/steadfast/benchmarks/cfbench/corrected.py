"""CSR, ISR and PSR corrected by people's verdicts on the checkpoints of a part of the answers."""

from collections.abc import Mapping, Sequence

import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.agreement import labelled_verdicts
from steadfast.benchmarks.cfbench.facts import MEASURES, ScoreRecord
from steadfast.benchmarks.cfbench.frames import by_measure, record_frame, sample_frame
from steadfast.benchmarks.cfbench.satisfaction import satisfaction
from steadfast.contract.components import Labels, Scored
from steadfast.stats.corrected import corrected_rows
from steadfast.stats.raters import answer_name


def corrected(
    scores: Sequence[Scored[ScoreRecord]],
    data: Mapping[str, Record],
    labels: Labels | None,
    raw: pd.DataFrame,
) -> pd.DataFrame:
    """Returns ``corrected_rows`` on all records, which are the clusters."""
    verdicts = labelled_verdicts(labels, scores, data)
    labelled = []
    for one in scores:
        sample = one.record["sample_id"]
        if points := verdicts.get((one.model, answer_name(one.record))):
            priorities = [checkpoint["priority"] for checkpoint in data[sample]["checkpoints"]]
            csr, isr, psr = satisfaction(priorities, points)
            record: ScoreRecord = {**one.record, "csr": csr, "isr": isr, "psr": psr}
            labelled.append(one._replace(record=record))
    units = _units(scores, data)
    people = _units(labelled, data) if labelled else units.iloc[:0]
    return corrected_rows(units, people, raw, dict.fromkeys(MEASURES, 1.0))


def _units(scores: Sequence[Scored[ScoreRecord]], data: Mapping[str, Record]) -> pd.DataFrame:
    rows = by_measure(sample_frame(scores, record_frame(data)))
    unit = rows["cluster"] + "#" + rows["draw"].astype(str)
    return rows[["model", "measure", "cluster", "value"]].assign(unit=unit, weight=1.0, sure=False)
