"""ComplexBench's metrics of models that were asked each prompt several times."""

import pandas as pd
import pytest

from complexbench_instances import asked
from complexbench_run import Run, believing, record, synthetic
from steadfast.benchmarks.complexbench.metrics import metrics as compute
from steadfast.contract.components import Frames, Scored
from test_complexbench_metrics import score_records, selecting, value

REPEATS = 3
COUNTS = ["n", "expected", "unread", "open"]


def drawn(instances: list[dict], *raw: list) -> Frames:
    """The metrics of a model, with the verdicts of each repeat."""
    scores = [
        Scored("m", "zh", row | {"repeat": repeat})
        for repeat, verdicts in enumerate(raw)
        for row in score_records(instances, verdicts)
    ]
    return compute(scores, {"zh": {"data": {"zh": instances}}}, None, "strict", ["zh"], ["j"])


def test_equal_draws_change_no_value_and_no_interval():
    run = Run(synthetic())
    judges = {"first": believing(), "second": believing(0.3)}
    for part in ("zh", "zh-decomposed"):
        records = run.score(run.read(0.3, part), "once", part, **judges)
        for repeat in range(REPEATS):
            more = (record | {"repeat": repeat} for record in records.values())
            run.scored += [Scored("several", part, record) for record in more]
    found = run.metrics(judges=list(judges))
    for name in ("drfr", "constraints", "coherent", "decomposition", "judging", "summary"):
        by_model = [part for _, part in found[name].groupby("model")]
        one, other = (part.reset_index(drop=True) for part in by_model)
        names = ["model", "not_distinguished", "better_than"]  # models' names, which differ
        one, other = (part.drop(columns=names, errors="ignore") for part in (one, other))
        counts = [column for column in COUNTS if column in one]
        pd.testing.assert_frame_equal(other, one.assign(**{c: one[c] * REPEATS for c in counts}))
    rows = found["agreement"].set_index("model")
    assert rows.loc["several", "raw"] == pytest.approx(rows.loc["once", "raw"])
    assert rows.loc["several", "n"] == REPEATS * rows.loc["once", "n"]


def test_dependencies_and_groups_are_those_of_a_draw():
    instances = [selecting(0, "a"), selecting(1, "a")]
    first = [[True, True], [False, True]]
    second = [[False, True], [True, True]]
    found = drawn(instances, first, second)
    # Of each repeat one instance loses both questions, the second by the first's.
    assert value(found["drfr"], measure="overall") == 0.5
    assert value(found["coherent"], kind="single", measure="origin") == 0.5
    assert value(found["coherent"], kind="single", measure="coherent") == 0
    (row,) = found["coherent"].query("measure == 'coherent'").to_dict("records")
    assert (row["n"], row["expected"]) == (2, 2)


def test_the_judge_is_the_one_that_each_record_names():
    instances = [record(0, [asked()])]
    (ours,), (theirs,) = (score_records(instances, [[True]]) for _ in range(2))
    scores = [
        Scored("m", "zh", ours | {"judge": "real"}),
        Scored("sim", "zh", theirs | {"judge": "simulator"}),
    ]
    data = {"zh": {"data": {"zh": instances}}}
    found = compute(scores, data, None, "strict", ["zh"], ["simulator", "real"])
    assert found["judging"][["model", "judge"]].values.tolist() == [
        ["m", "real"],
        ["sim", "simulator"],
    ]
    (together,) = found["agreement"].query("model == ''").to_dict("records")
    assert (together["n"], together["only_first"], together["only_second"]) == (0, 1, 1)
