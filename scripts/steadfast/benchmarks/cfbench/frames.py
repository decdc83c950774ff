"""Scores and data as data frames: a row an answer, and a row a checkpoint of an answer."""

from collections.abc import Iterable, Mapping

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.cfbench import facts as cfbench
from steadfast.benchmarks.cfbench.facts import ScoreRecord
from steadfast.contract.components import Scored
from steadfast.stats.scores import answer_row

# The data's records by sample.
Records = Mapping[str, Record]


def record_frame(data: Records) -> pd.DataFrame:
    """Returns the properties of records that results are shown by, such as Figure 6's factors."""
    rows = []
    for record in data.values():
        checkpoints = record["checkpoints"]
        row = {name: record[name] for name in ("split", "source", "domain", "task")}
        row["characters"] = len(record["prompt"])
        row["checkpoints"] = len(checkpoints)
        # The blank label counts as a type: so the paper's Table 1 has it.
        row["types"] = len({checkpoint["type"] for checkpoint in checkpoints})
        row["primary"] = sum(point["priority"] == cfbench.PRIMARY for point in checkpoints)
        rows.append(row)
    return pd.DataFrame(rows, index=list(data))


def sample_frame(scores: Iterable[Scored[ScoreRecord]], records: pd.DataFrame) -> pd.DataFrame:
    """Returns the scored and unscored answers; the rates are empty where there is no score."""
    rows: list[Record] = []
    for scored in scores:
        record = scored.record
        if record["sample_id"] not in records.index:
            raise UserError(
                f"cfbench: sample {record['sample_id']} of model {scored.model!r} is not in the "
                "data; score it again"
            )
        parsing = (record.get("extracted") or {}).get("parsing")
        rates = {name: record[name] for name in cfbench.RATES}
        # The sampling unit is the record.
        row = answer_row(scored) | {"cluster": record["sample_id"], "parsing": parsing}
        rows.append(row | rates)
    frame = pd.DataFrame(rows).astype(dict.fromkeys(cfbench.RATES, float))
    return frame.join(records, on="cluster")


def checkpoint_frame(scores: Iterable[Scored[ScoreRecord]], data: Records) -> pd.DataFrame:
    """Returns the checkpoints with a verdict, each under its primary and its secondary type."""
    rows = []
    for model, _, record in scores:
        sample = record["sample_id"]
        split = data[sample]["split"]
        points = record["points"] or {}
        checkpoints = data[sample]["checkpoints"] if points else []
        shared = (model, sample, split)
        for number, checkpoint in enumerate(checkpoints, start=1):
            point = points[str(number)]
            rows.append((*shared, cfbench.PRIMARY_KIND, checkpoint["type"], point))
            rows.append((*shared, cfbench.SECONDARY_KIND, checkpoint["subtype"], point))
    columns = ["model", "cluster", "split", "kind", "category", "value"]
    return pd.DataFrame(rows, columns=columns)


def with_full(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns rows of the splits, and again as rows of both together."""
    return pd.concat([frame, frame.assign(split=cfbench.FULL)])
