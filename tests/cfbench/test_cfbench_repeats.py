"""CFBench's metrics of models that were asked each prompt several times."""

import pandas as pd
import pytest

from cfbench_run import READER, Run
from steadfast.benchmarks.cfbench.tables import tables
from steadfast.contract.components import Answer
from steadfast.show.render import comma_separated
from steadfast.show.roster import Display
from steadfast.stats.agreement import verdict_agreement
from test_cfbench_metrics import VERDICTS, Made, value

REPEATS = 3


def drawn(run: Run, model: str, *repeats: list[dict]) -> None:
    """Makes of a model's records several repeats."""
    run.by_model[model] = [
        record | {"repeat": repeat} for repeat, records in enumerate(repeats) for record in records
    ]


def test_equal_draws_change_no_value_and_no_interval():
    run = Run()
    answers = run.read(READER)
    replies = run.judged(answers, 0.1)
    for model in ("once", "several"):
        records = run.score(model, answers, first=replies, second=run.judged(answers))
        drawn(run, model, *[records] * (REPEATS if model == "several" else 1))
    found = run.metrics(["first", "second"])
    for name in ("results", "types", "domains", "factors", "summary"):
        by_model = [part for _, part in found[name].groupby("model")]
        one, other = (part.reset_index(drop=True) for part in by_model)
        names = ["model", "not_distinguished", "better_than"]  # models' names, which differ
        one, other = (part.drop(columns=names, errors="ignore") for part in (one, other))
        counts = [column for column in ("n", "expected") if column in one]
        pd.testing.assert_frame_equal(other, one.assign(**{c: one[c] * REPEATS for c in counts}))
    rows = found["agreement"].set_index("model")
    assert rows.loc["several", "raw"] == pytest.approx(rows.loc["once", "raw"])
    assert rows.loc["several", "n"] == REPEATS * rows.loc["once", "n"]


def test_means_over_all_draws_by_hand():
    made = Made()
    first = made.by_model["m"] if made.judged("m", VERDICTS) else []
    made.judged("m", VERDICTS | {0: [0, 0], 3: [1, 1]})
    drawn(made, "m", first, made.by_model["m"])
    found = made.metrics(["j0"])
    results = found["results"]
    # Easy CSR: 1 and 2/3, then 0 and 2/3; hard: ¾ and none, then ¾ and 1.
    assert value(results, split="easy", measure="CSR") == pytest.approx((1 + 2 / 3 + 2 / 3) / 4)
    assert value(results, split="hard", measure="CSR") == pytest.approx((0.75 + 0.75 + 1) / 3)
    full = found["coverage"].set_index("split").loc["full"]
    assert full[["expected", "scored", "status_invalid"]].tolist() == [8, 7, 1]
    assert set(found["summary"]["n"]) == {7} and set(found["summary"]["expected"]) == {8}


def test_people_label_the_first_draw():
    made = Made()
    made.judged("m", VERDICTS)
    first = made.by_model["m"]
    judges = made.judged("m", {0: [0, 0], 1: [0, 0, 0], 2: [0, 0, 0, 0], 3: [0, 0]})
    drawn(made, "m", first, made.by_model["m"])
    labels = [
        {"model": "m", "sample_id": f"zh/{idx:04d}", "verdicts": VERDICTS[idx]} for idx in range(3)
    ]
    humans = made.metrics(judges, labels)["humans"].set_index("split")
    want = verdict_agreement([1, 0, 1], [1, 0, 1])
    assert humans.loc["full", ["n", "raw", "kappa"]].tolist() == list(want.values())


def test_an_unfinished_answer_has_no_score_and_a_column_of_its_own():
    run = Run()
    ids = list(run.records)
    answers = run.read(READER) | {ids[0]: Answer("unfinished", "")}
    records = run.score("m", answers, first=run.judged(answers))
    assert [records[0][name] for name in ("status", "total", "psr")] == ["unfinished", None, None]
    frames = run.metrics()
    (table,) = tables(frames, Display(), "strict", ["coverage"])
    head, row = (line.split(",") for line in comma_separated(table).splitlines())
    assert row[head.index("Unfinished")] == "1"
    assert set(frames["summary"]["n"]) == {23}


def test_stand_in_judges_of_no_labelled_answer_have_no_row_beside_people():
    made = Made()
    made.judged("m", VERDICTS)
    labels = [{"model": "m", "sample_id": "zh/0000", "verdicts": [1, 1]}]
    frames = made.metrics(["j0", "idle"], labels)
    display = Display.of(
        {"judges": {"j0": {"label": "j0"}, "idle": {"label": "idle", "engine": "reference"}}}
    )
    (table,) = tables(frames, display, "strict", ["table6_humans"])
    assert [row[0].text for section in table.sections for row in section.rows] == ["j0"]
