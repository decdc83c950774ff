"""Metrics: the released code's numbers for every recorded case, and examples worked by hand."""

from pathlib import Path

import pandas as pd
import pytest

from complexbench_cases import cases
from complexbench_run import STRICT, Run, asked, record, synthetic
from steadfast.complexbench.aggregation import dependent
from steadfast.complexbench.benchmark import METRICS, compute_metrics
from steadfast.complexbench.rules.outcome import UNDECIDED
from steadfast.errors import UserError
from steadfast.files import write_jsonl
from steadfast.metrics.headline import HEADLINE


def score_records(instances: list[dict], raw: list[list], judge: str = "j") -> list[dict]:
    """Score records of verdicts, as ``scoring`` writes them; None for a whole row: no answer."""
    found = []
    for instance, verdicts in zip(instances, raw, strict=True):
        places = range(len(instance["scoring_questions"]))
        row = {
            "sample_id": str(instance["main_id"]),
            "task": instance["task_types"],
            "context_id": instance["group"],
            "instance": instance["main_id"],
            "questions": list(places),
            "truncated": False,
            "judge": judge,
            "also": {},
        }
        if verdicts is None:
            found.append(
                row
                | {"status": "error", "raw": None, "points": None, "total": None}
                | {"extracted": None}
            )
            continue
        points = dependent(verdicts, instance)
        status = "invalid" if None in points else "ok"
        total = None if None in points else sum(p is True for p in points) / len(points)
        found.append(
            row
            | {"status": status, "raw": {str(p): verdicts[p] for p in places}, "total": total}
            | {
                "points": {
                    str(p): None if points[p] is None else float(points[p] is True) for p in places
                }
            }
            | {"extracted": {str(p): {"by": "judge"} for p in places}}
        )
    return found


def metrics(
    directory: Path,
    instances: list[dict],
    raw: dict[str, list],
    mode: str = "strict",
    names=METRICS,
    labels: Path | None = None,
) -> dict[str, pd.DataFrame]:
    """The metrics of models, each with the verdicts on all instances."""
    data = directory / "data.jsonl"
    write_jsonl(data, instances)
    scores = {}
    for model, verdicts in raw.items():
        scores[model, "zh"] = directory / f"{model}.jsonl"
        write_jsonl(scores[model, "zh"], score_records(instances, verdicts))
    outs = {name: directory / f"{name}.csv" for name in names}
    settings = {"mode": mode, "languages": ["zh"]}
    files = {"labels": labels} if labels else {}
    compute_metrics(scores, {"zh": {"data": {"zh": data}}}, settings, files, outs)
    return {
        name: pd.read_csv(path, keep_default_na=False, na_values=[]) for name, path in outs.items()
    }


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


def released_statistics(found: dict[str, pd.DataFrame]) -> dict:
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


def test_every_recorded_case_has_the_released_numbers(tmp_path):
    for case in cases("aggregate.jsonl"):
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
        found = released_statistics(metrics(tmp_path, case["data"], {"m": raw}, "released"))
        if case["error"]:
            # The released code divides by zero: a class has no group, or none of it passes.
            assert not set(RELEASED_COHERENT.values()) <= set(found), case["id"]
            continue
        assert set(found) == set(case["statistics"])
        for name, value in case["statistics"].items():
            assert found[name] == pytest.approx(value, rel=1e-11), (case["id"], name)


def selecting(number: int, group: str, count: int = 1, **fields) -> dict:
    questions = [asked(composition_types=["Selection"]) for _ in range(count)]
    kinds = {"category": f"Selection_{count}", "composition_types": ["Selection"], "group": group}
    return record(number, [*questions, asked(dep=[0])], **kinds | fields)


def value(rows: pd.DataFrame, **keys) -> float:
    for column, wanted in keys.items():
        rows = rows[rows[column] == wanted]
    (row,) = rows.to_dict("records")
    return row["value"]


def test_worked_by_hand(tmp_path):
    instances = [
        selecting(0, "a"),
        selecting(1, "a"),
        selecting(2, "b", task_types="Logical Reasoning"),
        selecting(3, "c", count=2),
    ]
    raw = [[True, True], [False, True], [True, False], [True, True, True]]
    found = metrics(tmp_path, instances, {"m": raw})
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
    (headline,) = found["headline"].to_dict("records")
    assert list(found["headline"]) == list(HEADLINE)
    assert (headline["measure"], headline["n"], headline["expected"]) == ("DRFR", 9, 9)
    assert headline["low"] <= headline["value"] <= headline["high"]


def test_where_released_divides_by_zero_there_is_no_value(tmp_path):
    failing, without = [selecting(0, "a")], [record(0, [asked()])]
    found = released_statistics(metrics(tmp_path, failing, {"m": [[False, True]]}, "released"))
    coherent = set(found) & set(RELEASED_COHERENT.values())
    assert coherent == {"single_origin_test", "single_coherent_test"}
    found = released_statistics(metrics(tmp_path, without, {"m": [[True]]}, "released"))
    assert not set(found) & set(RELEASED_COHERENT.values())


def test_selection_and_chain_stand_apart_in_mode_strict(tmp_path):
    kinds = {"composition_types": ["Selection", "Chain"], "category": "Selection_and_Chain_2"}
    instances = [selecting(0, "a"), record(1, [asked()], **kinds)]
    raw = {"m": [[True, True], [False]]}
    rows = metrics(tmp_path, instances, raw)["drfr"]
    assert value(rows, measure="family", category="Selection") == 1
    assert value(rows, measure="family", category="Selection_and_Chain") == 0
    rows = metrics(tmp_path, instances, raw, "released")["drfr"]
    assert value(rows, measure="family", category="Selection") == pytest.approx(2 / 3)


def test_what_has_no_verdict_is_in_no_mean_and_in_the_coverage(tmp_path):
    instances = [record(n, [asked(), asked(dep=[0])]) for n in range(3)]
    found = metrics(tmp_path, instances, {"m": [[True, True], [None, True], None]})
    (overall,) = found["drfr"].query("measure == 'overall'").to_dict("records")
    assert (overall["value"], overall["n"], overall["expected"]) == (1, 2, 6)
    (row,) = found["coverage"].to_dict("records")
    assert (row["expected"], row["scored"], row["samples"]) == (6, 2, 3)
    assert (row["status_ok"], row["status_invalid"], row["status_error"]) == (1, 1, 1)
    (row,) = found["judging"].to_dict("records")
    assert (row["n"], row["unread"], row["open"]) == (4, 1, 0)
    (row,) = found["headline"].to_dict("records")
    assert (row["n"], row["expected"]) == (2, 6)


def test_a_model_without_any_verdict_has_an_empty_headline(tmp_path):
    found = metrics(tmp_path, [record(0)], {"m": [[True]], "none": [None]})
    rows = {row["model"]: row for row in found["headline"].to_dict("records")}
    assert float(rows["m"]["value"]) == 1
    assert (rows["none"]["value"], rows["none"]["n"], rows["none"]["expected"]) == ("", 0, 1)
    assert set(found["drfr"]["model"]) == {"m"}


def test_nothing_scored_at_all(tmp_path):
    found = metrics(tmp_path, [record(0)], {"m": [None]})
    assert all(found[name].empty for name in ("drfr", "constraints", "coherent", "decomposition"))
    assert found["headline"]["value"].tolist() == [""]


def test_intervals_draw_groups_whole(tmp_path):
    same = [selecting(n, "one") for n in range(4)]
    apart = [selecting(n, f"g{n}") for n in range(4)]
    raw = {"m": [[True, True], [True, True], [False, False], [False, True]]}
    (row,) = metrics(tmp_path, same, raw)["drfr"].query("measure == 'overall'").to_dict("records")
    assert row["low"] == row["high"] == ""  # a single group cannot tell
    (row,) = metrics(tmp_path, apart, raw)["drfr"].query("measure == 'overall'").to_dict("records")
    assert row["low"] == 0
    assert row["high"] == 1


def test_turns_are_compared_on_the_same_questions(tmp_path):
    run = Run(tmp_path, synthetic(tmp_path))
    for part in ("zh", "zh-decomposed"):
        for slip in (0.1, 0.4):
            run.stood_in(f"sim-{slip}", part, {"slip": slip})
    rows = pd.read_csv(run.metrics()["decomposition"], keep_default_na=False)
    whole = rows[rows["category"] == ""].set_index(["model", "measure"])
    turned = sum(len(r["scoring_questions"]) for r in synthetic(tmp_path) if r["turns"])
    assert set(whole["n"]) == set(whole["expected"]) == {turned}
    for model in ("sim-0.1", "sim-0.4"):
        before, after, gain = (
            whole.loc[(model, measure), "value"]
            for measure in ("whole", "decomposed", "difference")
        )
        assert gain == pytest.approx(after - before)
    coverage = pd.read_csv(run.metrics()["coverage"])
    assert set(coverage["split"]) == {"whole", "decomposed"}


def test_judges_and_people_are_compared_question_by_question(tmp_path):
    run = Run(tmp_path, [record(n, [asked(), asked()]) for n in range(4)], STRICT)
    run.answer("好")
    for judge, wrong in (("a", set()), ("b", {"1/0"})):
        run.judge(
            lambda _, request, wrong=wrong: (
                f"答案：{'否' if request['sample_id'] in wrong else '是'}"
            ),
            judge,
        )
    run.score(["a", "b"])
    labels = tmp_path / "labels.jsonl"
    given = [{"model": "m", "sample_id": "zh/1", "verdicts": {"0": "no", "1": "yes"}}]
    write_jsonl(labels, given)
    rows = pd.read_csv(run.metrics(labels)["agreement"], keep_default_na=False)
    found = rows[rows["model"] == ""].set_index(["first", "second"])
    assert found.loc[("a", "b"), ["n", "raw"]].tolist() == [8, 0.875]
    assert found.loc[("a", "human"), ["n", "raw", "kind"]].tolist() == [2, 0.5, "judge and human"]
    assert found.loc[("b", "human"), "raw"] == 1
    for verdicts, complaint in (
        ({"2": "yes"}, "no question '2'"),
        ({"0": "maybe"}, "yes or no"),
        (["yes"], "yes or no"),
    ):
        write_jsonl(labels, [given[0] | {"verdicts": verdicts}])
        with pytest.raises(UserError, match=complaint):
            run.metrics(labels)


def test_an_instance_is_judged_apart_in_each_part(tmp_path):
    run = Run(tmp_path, [record(n, [asked(), asked()]) for n in range(3)], STRICT)
    for part, reply in (("zh", "答案：是"), ("en", "Answer: no")):
        run.answer("好", part=part)
        for judge in ("a", "b"):
            run.judge(lambda *_, reply=reply: reply, judge, part=part)
        run.score(["a", "b"], part=part)
    labels = tmp_path / "labels.jsonl"
    verdicts = {"0": "yes", "1": "yes"}
    write_jsonl(labels, [{"model": "m", "sample_id": "zh/1", "verdicts": verdicts}])
    rows = pd.read_csv(run.metrics(labels)["agreement"], keep_default_na=False)
    found = rows[rows["model"] == ""].set_index(["first", "second"])
    assert found.loc[("a", "b"), ["n", "raw"]].tolist() == [12, 1]
    assert found.loc[("a", "human"), ["n", "raw"]].tolist() == [2, 1]


def test_several_people_count_by_their_majority(tmp_path):
    run = Run(tmp_path, [record(n) for n in range(3)])
    run.stood_in("m")
    labels = tmp_path / "labels.jsonl"
    write_jsonl(
        labels,
        [
            {"model": "m", "sample_id": "zh/0", "rater": rater, "verdicts": {"0": word}}
            for rater, word in (("ann", "yes"), ("bo", "yes"), ("cy", "no"))
        ],
    )
    rows = pd.read_csv(run.metrics(labels)["agreement"], keep_default_na=False)
    found = rows[rows["model"] == ""].set_index(["first", "second"])
    assert found.loc[("j", "human majority"), "raw"] == 1
    assert found.loc[("j", "cy"), "raw"] == 0
    assert ("ann", "human majority") not in found.index


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"status": "fine"}, "unknown status"),
        ({"instance": 7}, "data has not"),
        ({"raw": {"5": True}}, "data has not"),
        ({"sample_id": "1"}, "second of its sample"),
        ({"also": None, "judge": None, "raw": "x"}, "data has not"),
    ],
)
def test_damaged_score_files_are_told(tmp_path, change, complaint):
    instances = [record(0), record(1)]
    data, path = tmp_path / "data.jsonl", tmp_path / "m.jsonl"
    write_jsonl(data, instances)
    rows = score_records(instances, [[True], [True]])
    rows[0] |= change
    write_jsonl(path, rows)
    with pytest.raises(UserError, match=complaint):
        compute_metrics(
            {("m", "zh"): path},
            {"zh": {"data": {"zh": data}}},
            {"mode": "strict", "languages": ["zh"]},
            {},
            {"drfr": tmp_path / "drfr.csv"},
        )


def test_the_same_scores_give_the_same_bytes(tmp_path):
    run = Run(tmp_path, synthetic(tmp_path, 20))
    run.stood_in("sim-a", reader={"slip": 0.3}, judges=[("j", None), ("k", {"slip": 0.3})])
    first = {name: path.read_bytes() for name, path in run.metrics().items()}
    assert {name: path.read_bytes() for name, path in run.metrics().items()} == first
