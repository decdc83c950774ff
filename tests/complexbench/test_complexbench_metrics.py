"""Metrics: the released code's numbers for every recorded case, and examples worked by hand."""

import pandas as pd
import pytest
from frame_values import value

from complexbench_instances import asked
from complexbench_run import Run, record, synthetic
from released_files import cases
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.aggregation import dependent
from steadfast.benchmarks.complexbench.metrics import metrics as compute
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED
from steadfast.contract.components import Frames, Scored


def score_records(instances: list[dict], raw: list[list]) -> list[dict]:
    """Score records of verdicts, as the stage writes them; None for a whole row: no answer."""
    found = []
    for instance, verdicts in zip(instances, raw, strict=True):
        row = {
            "sample_id": str(instance["main_id"]),
            "repeat": 0,
            "judge": "j",
            "task": instance["task_types"],
            "context_id": instance["group"],
            "instance": instance["main_id"],
            "questions": list(range(len(instance["scoring_questions"]))),
            "prompt_truncated": False,
            "status": "error",
            "raw": None,
            "total": None,
            "extracted": None,
            "other_raters": {},
        }
        if verdicts is not None:
            known = dependent(verdicts, instance)
            whole = None not in known
            row |= {"total": known.count(True) / len(known) if whole else None}
            row |= {"status": "ok" if whole else "invalid"}
            row |= {"raw": {str(place): verdict for place, verdict in enumerate(verdicts)}}
            row |= {"extracted": {point: {"by": "judge"} for point in row["raw"]}}
        found.append(row)
    return found


def metrics(instances: list[dict], raw: dict[str, list], mode: str = "strict") -> Frames:
    """The metrics of models, each with the verdicts on all instances."""
    scores = (
        Scored(model, "zh", row)
        for model, verdicts in raw.items()
        for row in score_records(instances, verdicts)
    )
    return compute(scores, {"zh": {"data": {"zh": instances}}}, None, mode, ["zh"], ["j"])


RELEASED_NAMES = {
    "category": "categorized_drfr",
    "family": "categorized_avg_drfr",
    "task": "task_types_drfr",
    "nesting": "nested_methods_drfr",
    "constraint_type": "constraint_types_and_composition_types_acc",
    "dimension": "each_constraint_dimensions_and_composition_types_acc",
}
RELEASED_COHERENT = {
    ("single", "origin"): "single_origin_test",
    ("single", "coherent"): "single_coherent_test",
    ("single", "relative_drop"): "single_relative_drop",
    ("multiple", "origin"): "multiple_origin_test",
    ("multiple", "coherent"): "multiple_coherent_test",
    ("multiple", "relative_drop"): "miltiple_relative_drop",
}


def released_statistics(found: Frames) -> dict:
    """Metrics under the released code's names."""
    statistics: dict = {name: {} for name in RELEASED_NAMES.values()}
    for name, column in (("drfr", "category"), ("constraints", "dimension")):
        for row in found[name].to_dict("records"):
            if row["measure"] == "overall":
                statistics["overall_drfr"] = row["value"]
            else:
                statistics[RELEASED_NAMES[row["measure"]]][row[column]] = row["value"]
    for row in found["coherent"].to_dict("records"):
        statistics[RELEASED_COHERENT[row["kind"], row["measure"]]] = row["value"]
    return statistics


def test_every_recorded_case_has_the_released_numbers():
    for case in cases("complexbench", "aggregate"):
        if case["per_instance"] is None:
            continue  # the released code ends where a question has no row
        last = {
            (row["main_id"], row["point_id"]): (
                row["point_judge"] if row["point_judge"] == UNDECIDED else bool(row["point_judge"])
            )
            for row in case["llm_evaluations"] + case["rule_evaluations"]
        }
        raw = [
            [last[number, place] for place in range(len(instance["scoring_questions"]))]
            for number, instance in enumerate(case["data"])
        ]
        found = released_statistics(metrics(case["data"], {"m": raw}, "released"))
        if case["error"]:
            # The released code divides by zero: a class has no group, or none of it passes.
            assert not set(RELEASED_COHERENT.values()) <= set(found), case["id"]
            continue
        assert set(found) == set(case["statistics"])
        for name, recorded in case["statistics"].items():
            assert found[name] == pytest.approx(recorded, rel=1e-11), (case["id"], name)


def selecting(number: int, group: str, count: int = 1, **fields) -> dict:
    questions = [asked(composition_types=["Selection"]) for _ in range(count)]
    kinds = {"category": f"Selection_{count}", "composition_types": ["Selection"], "group": group}
    return record(number, [*questions, asked(dep=[0])], **kinds | fields)


def test_worked_by_hand():
    instances = [
        selecting(0, "a"),
        selecting(1, "a"),
        selecting(2, "b", task_types="Logical Reasoning"),
        selecting(3, "c", count=2),
    ]
    raw = [[True, True], [False, True], [True, False], [True, True, True]]
    found = metrics(instances, {"m": raw})
    drfr = found["drfr"]
    assert value(drfr, measure="overall") == pytest.approx(6 / 9)
    assert value(drfr, measure="category", category="Selection_1") == pytest.approx(3 / 6)
    assert value(drfr, measure="category", category="Selection_2") == 1
    assert value(drfr, measure="family", category="Selection") == pytest.approx(6 / 9)
    assert value(drfr, measure="task", category="Logical Reasoning") == pytest.approx(1 / 2)
    assert value(drfr, measure="nesting", category="Selection") == pytest.approx(6 / 9)
    constraints = found["constraints"]
    assert value(constraints, dimension="Selection", measure="dimension") == pytest.approx(4 / 5)
    assert value(constraints, dimension="Utility") == pytest.approx(6 / 9)
    coherent = found["coherent"]
    assert value(coherent, kind="single", measure="origin") == pytest.approx(1 / 3)
    assert value(coherent, kind="single", measure="coherent") == 0
    assert value(coherent, kind="single", measure="relative_drop") == 1
    assert value(coherent, kind="multiple", measure="relative_drop") == 0
    (summary,) = found["summary"].to_dict("records")
    assert (summary["measure"], summary["n"], summary["expected"]) == ("DRFR", 9, 9)
    assert summary["low"] <= summary["value"] <= summary["high"]


def test_where_released_divides_by_zero_there_is_no_value():
    failing = [selecting(0, "a")]
    without = [record(0, [asked()])]
    found = released_statistics(metrics(failing, {"m": [[False, True]]}, "released"))
    coherent = set(found) & set(RELEASED_COHERENT.values())
    assert coherent == {"single_origin_test", "single_coherent_test"}
    found = released_statistics(metrics(without, {"m": [[True]]}, "released"))
    assert not set(found) & set(RELEASED_COHERENT.values())


def test_what_has_no_verdict_is_in_no_mean_and_open_verdicts_are_counted():
    instances = [record(n, [asked(), asked(dep=[0])]) for n in range(3)]
    found = metrics(instances, {"m": [[True, True], [None, True], None]})
    (overall,) = found["drfr"].query("measure == 'overall'").to_dict("records")
    assert (overall["value"], overall["n"], overall["expected"]) == (1, 2, 6)
    (row,) = found["coverage"].to_dict("records")
    assert (row["expected"], row["scored"], row["samples"]) == (6, 2, 3)
    assert (row["status_ok"], row["status_invalid"], row["status_error"]) == (1, 1, 1)
    (row,) = found["judging"].to_dict("records")
    assert (row["n"], row["unread"], row["open"]) == (4, 1, 0)
    (row,) = found["summary"].to_dict("records")
    assert (row["n"], row["expected"]) == (2, 6)
    found = metrics([record(0, [asked(), asked()])], {"m": [[UNDECIDED, True]]}, "released")
    (row,) = found["judging"].to_dict("records")
    assert (row["judge"], row["n"], row["unread"], row["open"]) == ("j", 2, 0, 1)
    assert found["coverage"]["open"].tolist() == [1]


def test_intervals_draw_groups_whole():
    same = [selecting(n, "one") for n in range(4)]
    apart = [selecting(n, f"g{n}") for n in range(4)]
    raw = {"m": [[True, True], [True, True], [False, False], [False, True]]}
    (row,) = metrics(same, raw)["drfr"].query("measure == 'overall'").to_dict("records")
    assert pd.isna(row["low"]) and pd.isna(row["high"])  # a single group cannot tell
    (row,) = metrics(apart, raw)["drfr"].query("measure == 'overall'").to_dict("records")
    # Two of four groups right, Wilson's: 1/2 ± ½ √(z² ÷ (4 + z²))
    half = (3.841459 / 7.841459) ** 0.5 / 2
    assert [row["low"], row["high"]] == pytest.approx([0.5 - half, 0.5 + half])


def test_turns_are_compared_on_the_same_questions():
    run = Run(synthetic())
    for part in ("zh", "zh-decomposed"):
        for slip in (0.1, 0.4):
            run.score(run.read(slip, part), f"sim-{slip}", part)
    frames = run.metrics()
    rows = frames["decomposition"]
    whole = rows[rows["category"] == ""].set_index(["model", "measure"])
    asked_in_turns = sum(len(r["scoring_questions"]) for r in synthetic() if r["turns"])
    assert set(whole["n"]) == set(whole["expected"]) == {asked_in_turns}
    for model in ("sim-0.1", "sim-0.4"):
        before, after, gain = (
            whole.loc[(model, measure), "value"]
            for measure in ("whole", "decomposed", "difference")
        )
        assert gain == pytest.approx(after - before)
    assert set(frames["coverage"]["split"]) == {"whole", "decomposed"}


def agreement(run: Run, judges: list[str], labels: list[dict] | None = None) -> pd.DataFrame:
    """Rows of all models together, by the two raters."""
    rows = run.metrics(labels, judges)["agreement"]
    return rows[rows["model"] == ""].set_index(["first", "second"])


def judged(*judges: str, parts: tuple[str, ...] = ("zh",)) -> Run:
    """Three instances of two questions, of which the last judge denies one in each part."""
    run = Run([record(n, [asked(), asked()]) for n in range(3)])
    content = {"zh": ("答案：是", "答案：否"), "en": ("Answer: yes", "Answer: no")}

    def reply(judge: str, part: str):
        yes, no = content[part]
        denied = "1/0" if judge == judges[-1] else None
        return lambda _, request: no if request.id == denied else yes

    for part in parts:
        replies = {judge: reply(judge, part) for judge in judges}
        run.score(run.given("好", part), part=part, **replies)
    return run


def label(verdicts, sample: str = "zh/1", **rater: str) -> dict:
    return {"model": "m", "sample_id": sample, "verdicts": verdicts, **rater}


def test_judges_and_people_are_compared_question_by_question_in_each_part():
    found = agreement(judged("a", "b"), ["a", "b"], [label({"0": "no", "1": "yes"})])
    assert found.loc[("a", "b"), ["n", "raw"]].tolist() == [6, pytest.approx(5 / 6)]
    assert found.loc[("a", "human"), ["n", "raw", "kind"]].tolist() == [2, 0.5, "judge and human"]
    assert found.loc[("b", "human"), "raw"] == 1
    # an instance is judged apart in each part
    run = judged("a", "b", parts=("zh", "en"))
    found = agreement(run, ["a", "b"], [label({"0": "no"}, "en/1"), label({"0": "yes"})])
    assert found.loc[("a", "b"), "n"] == 12
    assert found.loc[("b", "human"), ["n", "raw"]].tolist() == [2, 0.5]


def test_labels_that_are_none_are_named():
    for verdicts, complaint in (
        ({"2": "yes"}, "people.jsonl: .* no question '2'"),
        ({"0": "maybe"}, "yes or no"),
        (["yes"], "yes or no"),
    ):
        with pytest.raises(UserError, match=complaint):
            judged("a").metrics([label(verdicts)], ["a"])


@pytest.mark.parametrize("change", [{"instance": 7}, {"raw": {"5": True}}, {"raw": "x"}])
def test_scores_of_other_data_are_refused(change):
    instances = [record(0), record(1)]
    rows = score_records(instances, [[True], [True]])
    scores = [Scored("m", "zh", rows[0] | change), Scored("m", "zh", rows[1])]
    with pytest.raises(
        UserError, match=r"sample 0 of model 'm', part 'zh', .* question that is not in the data"
    ):
        compute(scores, {"zh": {"data": {"zh": instances}}}, None, "strict", ["zh"], ["j"])


def test_dependencies_and_groups_are_those_of_one_repeat():
    instances = [selecting(0, "a"), selecting(1, "a")]
    repeats = ([[True, True], [False, True]], [[False, True], [True, True]])
    scores = [
        Scored("m", "zh", row | {"repeat": repeat})
        for repeat, verdicts in enumerate(repeats)
        for row in score_records(instances, verdicts)
    ]
    found = compute(scores, {"zh": {"data": {"zh": instances}}}, None, "strict", ["zh"], ["j"])
    # Of each repeat one instance loses both questions, the second by the first's.
    assert value(found["drfr"], measure="overall") == 0.5
    assert value(found["coherent"], kind="single", measure="origin") == 0.5
    assert value(found["coherent"], kind="single", measure="coherent") == 0
    (row,) = found["coherent"].query("measure == 'coherent'").to_dict("records")
    assert (row["n"], row["expected"]) == (2, 2)


def test_the_judge_is_the_one_that_each_record_names():
    instances = [record(0, [asked()])]
    (row,) = score_records(instances, [[True]])
    judges = {"m": "real", "sim": "simulator"}
    scores = [Scored(model, "zh", row | {"judge": judge}) for model, judge in judges.items()]
    data = {"zh": {"data": {"zh": instances}}}
    found = compute(scores, data, None, "strict", ["zh"], ["simulator", "real"])
    assert found["judging"].set_index("model")["judge"].to_dict() == judges
    (together,) = found["agreement"].query("model == ''").to_dict("records")
    assert (together["n"], together["only_first"], together["only_second"]) == (0, 1, 1)
