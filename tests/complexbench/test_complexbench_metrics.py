"""Metrics: the released code's numbers for every recorded case, and examples worked by hand."""

import pandas as pd
import pytest
from frame_values import value

from complexbench_run import (
    Run,
    decomposed_record,
    question,
    record,
    synthetic_records,
    verdict_reply,
)
from released_files import cases
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.aggregation import apply_dependencies
from steadfast.benchmarks.complexbench.metrics import metrics as compute
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED
from steadfast.contract.components import Frames, Scored
from steadfast.stats.pairs import COLUMNS
from steadfast.stats.tidy import rows_of


def score_records(instances: list[dict], raw: list[list | None]) -> list[dict]:
    """Score records with these verdicts on each instance; None: it has no answer."""
    records = []
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
            passes = apply_dependencies(verdicts, instance)
            readable = None not in passes
            row["status"] = "ok" if readable else "invalid"
            row["total"] = passes.count(True) / len(passes) if readable else None
            row["raw"] = {str(point): verdict for point, verdict in enumerate(verdicts)}
            row["extracted"] = {point: {"by": "judge"} for point in row["raw"]}
        records.append(row)
    return records


def frames_of(
    scores: list[Scored], instances: list[dict], mode: str = "strict", judges: tuple = ("j",)
) -> Frames:
    data = {"zh": {"data": {"zh": instances}}}
    return compute(iter(scores), data, None, mode, ["zh"], list(judges))


def metrics(instances: list[dict], raw: list[list | None], mode: str = "strict") -> Frames:
    """The metrics of one model with these verdicts."""
    scores = [Scored("m", "zh", row) for row in score_records(instances, raw)]
    return frames_of(scores, instances, mode)


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


def released_statistics(frames: Frames) -> dict:
    """Metrics under the released code's names."""
    statistics: dict = {name: {} for name in RELEASED_NAMES.values()}
    for name, column in (("drfr", "category"), ("constraints", "dimension")):
        for row in frames[name].to_dict("records"):
            if row["measure"] == "overall":
                statistics["overall_drfr"] = row["value"]
            else:
                statistics[RELEASED_NAMES[row["measure"]]][row[column]] = row["value"]
    for row in frames["coherent"].to_dict("records"):
        statistics[RELEASED_COHERENT[row["kind"], row["measure"]]] = row["value"]
    return statistics


def recorded_verdicts(case: dict) -> list[list]:
    """The verdicts of a recorded case by instance; the last row of a question counts."""
    verdicts = {}
    for row in case["llm_evaluations"] + case["rule_evaluations"]:
        verdict = row["point_judge"]
        verdict = verdict if verdict == UNDECIDED else bool(verdict)
        verdicts.setdefault(row["main_id"], {})[row["point_id"]] = verdict
    raw = []
    for number, instance in enumerate(case["data"]):
        points = range(len(instance["scoring_questions"]))
        raw.append([verdicts[number][point] for point in points])
    return raw


def test_recorded_cases_have_the_released_numbers():
    for case in cases("complexbench", "aggregate"):
        if case["per_instance"] is None:
            continue  # the released code ends where a question has no row
        frames = metrics(case["data"], recorded_verdicts(case), "released")
        statistics = released_statistics(frames)
        if case["error"]:
            # The released code divides by zero: a class has no group, or none of it passes.
            assert not set(RELEASED_COHERENT.values()) <= set(statistics), case["id"]
            continue
        assert set(statistics) == set(case["statistics"])
        for name, expected in case["statistics"].items():
            assert statistics[name] == pytest.approx(expected, rel=1e-11), (case["id"], name)


def selection_record(number: int, group: str, count: int = 1, **fields) -> dict:
    """An instance of so many selections and a question that depends on the first."""
    questions = [question(composition_types=["Selection"]) for _ in range(count)]
    questions.append(question(dep=[0]))
    kinds = {"category": f"Selection_{count}", "composition_types": ["Selection"]}
    return record(number, questions, group=group, **kinds, **fields)


def test_measures_by_hand():
    instances = [
        selection_record(0, "a"),
        selection_record(1, "a"),
        selection_record(2, "b", task_types="Logical Reasoning"),
        selection_record(3, "c", count=2),
    ]
    frames = metrics(instances, [[True, True], [False, True], [True, False], [True, True, True]])
    for frame, keys, expected in (
        ("drfr", {"measure": "overall"}, pytest.approx(6 / 9)),
        ("drfr", {"measure": "category", "category": "Selection_1"}, pytest.approx(3 / 6)),
        ("drfr", {"measure": "category", "category": "Selection_2"}, 1),
        ("drfr", {"measure": "family", "category": "Selection"}, pytest.approx(6 / 9)),
        ("drfr", {"measure": "task", "category": "Logical Reasoning"}, pytest.approx(1 / 2)),
        ("drfr", {"measure": "nesting", "category": "Selection"}, pytest.approx(6 / 9)),
        ("constraints", {"measure": "dimension", "dimension": "Selection"}, pytest.approx(4 / 5)),
        ("constraints", {"dimension": "Utility"}, pytest.approx(6 / 9)),
        ("coherent", {"kind": "single", "measure": "origin"}, pytest.approx(1 / 3)),
        ("coherent", {"kind": "single", "measure": "coherent"}, 0),
        ("coherent", {"kind": "single", "measure": "relative_drop"}, 1),
        ("coherent", {"kind": "multiple", "measure": "relative_drop"}, 0),
    ):
        assert value(frames[frame], **keys) == expected, (frame, keys)
    (summary,) = frames["summary"].to_dict("records")
    assert (summary["measure"], summary["n"], summary["expected"]) == ("DRFR", 9, 9)
    assert summary["low"] <= summary["value"] <= summary["high"]
    # Two groups have one selection, one has several; the drop is theirs, not the instances'.
    counts = frames["coherent"].set_index(["kind", "measure"])["expected"].to_dict()
    assert (counts["single", "origin"], counts["single", "relative_drop"]) == (3, 2)


def test_no_value_where_released_divides_by_zero():
    frames = metrics([selection_record(0, "a")], [[False, True]], "released")
    coherent = set(released_statistics(frames)) & set(RELEASED_COHERENT.values())
    assert coherent == {"single_origin_test", "single_coherent_test"}
    frames = metrics([record(0)], [[True]], "released")
    assert not set(released_statistics(frames)) & set(RELEASED_COHERENT.values())


def test_missing_verdicts_are_in_no_mean_and_are_counted():
    instances = [record(n, [question(), question(dep=[0])]) for n in range(3)]
    frames = metrics(instances, [[True, True], [None, True], None])
    (overall,) = rows_of(frames["drfr"], measure="overall").to_dict("records")
    assert (overall["value"], overall["n"], overall["expected"]) == (1, 2, 6)
    (row,) = frames["coverage"].to_dict("records")
    assert (row["expected"], row["scored"], row["samples"]) == (6, 2, 3)
    assert (row["status_ok"], row["status_invalid"], row["status_error"]) == (1, 1, 1)
    (row,) = frames["judging"].to_dict("records")
    assert (row["n"], row["unread"], row["open"]) == (4, 1, 0)
    (row,) = frames["summary"].to_dict("records")
    assert (row["n"], row["expected"]) == (2, 6)


def test_undecided_rules_are_counted():
    frames = metrics([record(0, [question(), question()])], [[UNDECIDED, True]], "released")
    (row,) = frames["judging"].to_dict("records")
    assert (row["judge"], row["n"], row["unread"], row["open"]) == ("j", 2, 0, 1)
    assert frames["coverage"]["open"].tolist() == [1]


def test_intervals_sample_groups():
    raw = [[True, True], [True, True], [False, False], [False, True]]
    one_group = metrics([selection_record(n, "one") for n in range(4)], raw)
    (row,) = rows_of(one_group["drfr"], measure="overall").to_dict("records")
    assert pd.isna(row["low"]) and pd.isna(row["high"])
    four_groups = metrics([selection_record(n, f"g{n}") for n in range(4)], raw)
    (row,) = rows_of(four_groups["drfr"], measure="overall").to_dict("records")
    # Two of four groups right, Wilson's: 1/2 ± ½ √(z² ÷ (4 + z²))
    half = (3.841459 / 7.841459) ** 0.5 / 2
    assert [row["low"], row["high"]] == pytest.approx([0.5 - half, 0.5 + half])


def test_decomposition_compares_the_same_questions():
    run = Run(synthetic_records())
    for part in ("zh", "zh-decomposed"):
        for slip in (0.1, 0.4):
            run.score(run.simulated_responses(slip, part), f"sim-{slip}", part)
    frames = run.metrics()
    rows = rows_of(frames["decomposition"], category="").set_index(["model", "measure"])
    in_turns = sum(len(row["scoring_questions"]) for row in synthetic_records() if row["turns"])
    assert set(rows["n"]) == set(rows["expected"]) == {in_turns}
    for model in ("sim-0.1", "sim-0.4"):
        values = rows.loc[model, "value"]
        gain = values["decomposed"] - values["whole"]
        assert values["difference"] == pytest.approx(gain)
    assert set(frames["coverage"]["split"]) == {"whole", "decomposed"}


def test_difference_of_decomposition_has_limits_of_both_signs():
    instances = []
    for number in range(4):
        own = {"main_id": number, "group": f"g{number}"}
        instances.append(decomposed_record(question(), question()) | own)
    run = Run(instances)
    run.score(run.responses("好"), judge=lambda *_: verdict_reply(True))
    in_turns = run.responses("好", "zh-decomposed")
    run.score(in_turns, part="zh-decomposed", judge=lambda *_: verdict_reply(False))
    rows = rows_of(run.metrics(judges=["judge"])["decomposition"], category="")
    (row,) = rows_of(rows, measure="difference").to_dict("records")
    # Clopper–Pearson: all four groups lose 1, and a share of .05^(1/4) or more of all groups does.
    highest = 1 - 2 * 0.05 ** (1 / 4)
    assert [row["value"], row["low"], row["high"]] == pytest.approx([-1, -1, highest])


def agreement(run: Run, judges: list[str], labels: list[dict]) -> pd.DataFrame:
    """Rows of all models together, by the two raters."""
    rows = run.metrics(labels, judges)["agreement"]
    return rows_of(rows, model="").set_index(["first", "second"])


def judged(*judges: str, parts: tuple[str, ...] = ("zh",)) -> Run:
    """Three instances of two questions; in each part the last judge denies one."""
    run = Run([record(n, [question(), question()]) for n in range(3)])
    verdicts = {"zh": ("答案：是", "答案：否"), "en": ("Answer: yes", "Answer: no")}

    def judge_of(part: str, denied: str | None):
        yes, no = verdicts[part]
        return lambda _, request: no if request.id == denied else yes

    for part in parts:
        replies = {judge: judge_of(part, None) for judge in judges[:-1]}
        replies[judges[-1]] = judge_of(part, "1/0")
        run.score(run.responses("好", part), part=part, **replies)
    return run


def label(verdicts, sample: str = "zh/1") -> dict:
    return {"model": "m", "sample_id": sample, "verdicts": verdicts}


def test_judges_and_people_are_compared_by_question():
    rows = agreement(judged("a", "b"), ["a", "b"], [label({"0": "no", "1": "yes"})])
    assert rows.loc[("a", "b"), ["n", "raw"]].tolist() == [6, pytest.approx(5 / 6)]
    assert rows.loc[("a", "human"), ["n", "raw", "kind"]].tolist() == [2, 0.5, "judge and human"]
    assert rows.loc[("b", "human"), "raw"] == 1


def test_people_correct_the_errors_of_a_judge():
    run = Run([record(number) for number in range(12)])
    run.score(run.responses("好"), j=lambda _, request: verdict_reply(request.id != "3/0"))
    labels = [label({"0": "yes"}, f"zh/{number}") for number in range(12)]
    (row,) = run.metrics(labels)["corrected"].to_dict("records")
    assert (row["measure"], row["raw"]) == ("DRFR", pytest.approx(11 / 12))
    assert (row["value"], row["clusters"], row["units"]) == (1, 12, 12)
    # Wilson's interval where 12 of 12 groups are right: 12 ÷ (12 + z²) to 1
    assert [row["low"], row["high"]] == pytest.approx([12 / 15.841459, 1])


def test_agreement_keeps_languages_apart():
    labels = [label({"0": "no"}, "en/1"), label({"0": "yes"})]
    rows = agreement(judged("a", "b", parts=("zh", "en")), ["a", "b"], labels)
    assert rows.loc[("a", "b"), "n"] == 12
    assert rows.loc[("b", "human"), ["n", "raw"]].tolist() == [2, 0.5]


def test_invalid_label_is_refused():
    for verdicts, message in (
        ({"2": "yes"}, "people.jsonl: .* no question '2'"),
        ({"0": "maybe"}, "yes or no"),
        (["yes"], "yes or no"),
    ):
        with pytest.raises(UserError, match=message):
            judged("a").metrics([label(verdicts)], ["a"])


@pytest.mark.parametrize("change", [{"instance": 7}, {"raw": {"5": True}}, {"raw": "x"}])
def test_score_of_other_data_is_refused(change):
    instances = [record(0), record(1)]
    first, second = score_records(instances, [[True], [True]])
    scores = [Scored("m", "zh", first | change), Scored("m", "zh", second)]
    message = r"sample 0 of model 'm', part 'zh', .* question that is not in the data"
    with pytest.raises(UserError, match=message):
        frames_of(scores, instances)


def test_dependencies_and_groups_are_resolved_within_a_repeat():
    instances = [selection_record(0, "a"), selection_record(1, "a")]
    scores = []
    for repeat, raw in enumerate(([[True, True], [False, True]], [[False, True], [True, True]])):
        for row in score_records(instances, raw):
            scores.append(Scored("m", "zh", row | {"repeat": repeat}))
    frames = frames_of(scores, instances)
    # In each repeat one instance loses both questions, the second by the first's.
    assert value(frames["drfr"], measure="overall") == 0.5
    assert value(frames["coherent"], kind="single", measure="origin") == 0.5
    (row,) = rows_of(frames["coherent"], measure="coherent").to_dict("records")
    assert (row["kind"], row["value"], row["n"], row["expected"]) == ("single", 0, 2, 2)
    (counts,) = frames["coverage"].to_dict("records")
    assert (counts["expected"], counts["scored"], counts["samples"]) == (8, 8, 4)


def test_judge_is_the_one_named_in_each_record():
    instances = [record(0)]
    (row,) = score_records(instances, [[True]])
    judges = {"m": "real", "sim": "simulator"}
    scores = [Scored(model, "zh", row | {"judge": judge}) for model, judge in judges.items()]
    frames = frames_of(scores, instances, judges=("simulator", "real"))
    assert frames["judging"].set_index("model")["judge"].to_dict() == judges
    names = ["model", "other", "language", "measure", "category"]
    assert list(frames["comparisons"]) == [*names, *COLUMNS[3:]]
    (pooled,) = rows_of(frames["agreement"], model="").to_dict("records")
    assert (pooled["n"], pooled["only_first"], pooled["only_second"]) == (0, 1, 1)
