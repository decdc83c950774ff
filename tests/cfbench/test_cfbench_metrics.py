"""Metrics of a small run by hand: means, coverage, agreement and labels."""

from collections import Counter

import pandas as pd
import pytest
from frame_values import value

from cfbench_run import CONTENT, COUNT, VERDICTS, SmallRun, record
from steadfast.base.errors import UserError
from steadfast.benchmarks.cfbench.facts import OTHER_TASKS
from steadfast.benchmarks.cfbench.metrics import distribution, statistics
from steadfast.contract.components import Answer, Reply
from steadfast.stages.score import score_records
from steadfast.stats.agreement import verdict_agreement
from steadfast.stats.pairs import COLUMNS
from steadfast.stats.tidy import rows_of


@pytest.fixture
def run():
    return SmallRun()


def test_means_by_hand(run):
    frames = run.metrics(run.judge("m", VERDICTS))
    for frame, keys, measure, expected in (
        ("results", {"split": "easy"}, "CSR", pytest.approx((1 + 2 / 3) / 2)),
        ("results", {"split": "easy"}, "ISR", 0.5),
        ("results", {"split": "easy"}, "PSR", 0.5),  # secondary 0 of 1
        ("results", {"split": "hard"}, "CSR", 0.75),  # without the unreadable reply
        ("results", {"split": "hard"}, "ISR", 0),
        ("results", {"split": "hard"}, "PSR", 1),  # secondary 2 of 3
        ("results", {"split": "full"}, "PSR", pytest.approx(2 / 3)),
        ("domains", {"kind": "domain", "category": "教育"}, "PSR", 1),
        ("domains", {"kind": "domain", "category": "金融"}, "PSR", 0),
        ("domains", {"kind": "task", "category": "Summary"}, "CSR", 0.75),
        ("domains", {"kind": "source", "category": "tob"}, "PSR", 0.5),
        ("factors", {"kind": "checkpoints", "category": "1-2"}, "ISR", 1),
        ("factors", {"kind": "checkpoints", "category": "4"}, "ISR", 0),
        ("factors", {"kind": "primary", "category": "2"}, "PSR", 0),
        ("factors", {"kind": "types", "category": "2"}, "PSR", pytest.approx(2 / 3)),
        ("factors", {"kind": "characters", "category": "0-149"}, "PSR", pytest.approx(2 / 3)),
    ):
        mean = value(frames[frame], measure=measure, **keys)
        assert mean == expected, (frame, keys, measure)
    assert list(frames["results"]["n"]) == [2, 2, 2, 1, 1, 1, 3, 3, 3]


def test_statistics_by_hand(run):
    easy = {name: run.records[name] for name in ("zh/0000", "zh/0001")}
    rows = statistics(easy).set_index(["split", "measure"])["value"]
    names = ["records", "characters", "primary", "checkpoints", "types", "内容约束", "数值约束"]
    # Prompts of 100 and 101 characters; 1 of 2 and 2 of 3 checkpoints are primary.
    assert rows["easy"][names].tolist() == [2, 100.5, 1.5, 2.5, 2, 3, 2]
    assert rows["hard", "records"] == 0
    assert rows["full"][names].tolist() == rows["easy"][names].tolist()


def test_tasks_beyond_the_thirty_largest_are_counted_together():
    largest = [f"task {number}" for number in range(30)]
    tasks = ["rare", *largest, "rarer", *largest, "rare", *largest]
    records = pd.DataFrame({"source": "nlp_cif", "domain": None, "task": tasks})
    rows = rows_of(distribution(records), kind="task")
    counts = dict(zip(rows["category"], rows["value"], strict=True))
    assert counts == dict.fromkeys(largest, 3) | {OTHER_TASKS: 3}


def test_types_by_hand(run):
    types = run.metrics(run.judge("m", VERDICTS))["types"]
    assert value(types, kind="primary", category="内容约束") == 1
    assert value(types, kind="primary", category="数值约束") == pytest.approx(3 / 5)
    assert value(types, kind="secondary", category="单词数值约束") == pytest.approx(3 / 5)
    assert list(types["n"]) == [4, 5, 4, 5]  # the record with a blank type has no verdict


def test_coverage_and_summary_count_missing_verdicts(run):
    frames = run.metrics(run.judge("m", VERDICTS))
    full = frames["coverage"].set_index("split").loc["full"]
    counts = ["expected", "scored", "status_ok", "status_invalid"]
    assert full[counts].tolist() == [4, 3, 3, 1]
    summary = frames["summary"]
    assert list(summary["measure"]) == ["CSR", "ISR", "PSR"]
    assert set(summary["n"]) == {3} and set(summary["expected"]) == {4}


def test_split_without_evaluated_records_has_no_coverage(run):
    run.judge("m", VERDICTS)
    run.by_model["m"] = run.by_model["m"][:2]
    coverage = run.metrics(["j0"])["coverage"].set_index("split")
    assert coverage["expected"].to_dict() == {"easy": 2, "hard": 0, "full": 2}


def test_released_means_are_rounded_as_released():
    run = SmallRun("released")
    results = run.metrics(run.judge("m", VERDICTS | {3: [1, 0]}))["results"]
    assert value(results, split="easy", measure="CSR") == 0.84  # of 1 and the rounded 0.67
    assert value(results, split="full", measure="CSR") == 0.73  # of those, 0.75 and 0.5


def test_replies_read_by_the_fallback_are_in_no_type():
    run = SmallRun("released")
    samples = {"zh/0000": VERDICTS[0], "zh/0002": VERDICTS[2]}
    replies = {name: run.checklist_reply(name, verdicts) for name, verdicts in samples.items()}
    zero_lost = run.checklist_reply("zh/0001", VERDICTS[1]).text.replace("\n\n", "\n")
    replies |= {"zh/0001": Reply("ok", zero_lost), "zh/0003": Reply("ok", "Error")}
    run.score("m", run.responses(lambda sample: "答"), j0=replies)
    frames = run.metrics(["j0"])
    full = frames["coverage"].set_index("split").loc["full"]
    assert (full["scored"], full["fallback"], full["nothing"]) == (4, 1, 1)
    assert value(frames["results"], split="easy", measure="PSR") == 1
    assert list(frames["types"]["n"]) == [2, 4, 2, 4]


def test_agreement_of_judges_is_by_verdict(run):
    second = {0: [1, 0], 1: [1, 1, 0], 2: [0, 1, 1, 0], 3: [1, 1]}
    rows = run.metrics(run.judge("m", VERDICTS, second))["agreement"]
    (pooled,) = rows_of(rows, model="").to_dict("records")
    expected = verdict_agreement([1, 1, 1, 1, 0, 1, 1, 1, 0], [1, 0, 1, 1, 0, 0, 1, 1, 0])
    assert (pooled["first"], pooled["second"], pooled["n"]) == ("j0", "j1", 9)
    assert pooled["raw"] == pytest.approx(expected["raw"])
    assert pooled["kappa"] == pytest.approx(expected["kappa"])
    assert (pooled["only_first"], pooled["only_second"]) == (0, 2)


LABELS = [
    {"model": "m", "sample_id": "zh/0000", "verdicts": [1, 0]},
    {"model": "m", "sample_id": "zh/0001", "verdicts": [1, 1, 0]},
    {"model": "m", "sample_id": "zh/0002", "verdicts": [1, 1, 1, 0]},
    {"model": "other", "sample_id": "zh/0002", "verdicts": "no matter"},
]


def test_people_and_judges_are_compared_by_psr(run):
    run.judge("unlabelled", VERDICTS, VERDICTS)
    judges = run.judge("m", VERDICTS, VERDICTS | {3: [1, 1]})
    frames = run.metrics(judges, LABELS)
    humans = frames["humans"].set_index(["judge", "split"])
    expected = verdict_agreement([1, 0, 1], [0, 0, 1])  # PSR of the judge, and of people
    for judge in judges:
        assert humans.loc[(judge, "full"), "n"] == 3
        assert humans.loc[(judge, "full"), "kappa"] == pytest.approx(expected["kappa"])
        assert humans.loc[(judge, "easy"), "raw"] == 0.5
        assert humans.loc[(judge, "hard"), "n"] == 1
    assert list(frames["comparisons"]) == ["model", "other", "split", "measure", *COLUMNS[3:]]
    kinds = Counter(frames["agreement"]["kind"])
    assert kinds == {"judges": 3, "judge and human": 4}  # none of the unlabelled model


@pytest.mark.parametrize(("judges", "counting", "psr"), [("ab", "a", 0), ("abc", "majority", 1)])
def test_majority_counts_from_three_judges_on(run, judges, counting, psr):
    verdicts = {"a": [0, 1], "b": [1, 1], "c": [1, 1]}
    others = {"a": [0, 1, 0], "b": [1, 1, 0], "c": [1, 1, 1]}
    replies = {}
    for name in judges:
        replies[name] = {"zh/0000": run.checklist_reply("zh/0000", verdicts[name])}
        replies[name]["zh/0001"] = run.checklist_reply("zh/0001", others[name])
    answers = dict.fromkeys(["zh/0000", "zh/0001"], Answer("ok", "答"))
    scoring = run.task.scoring.make()
    samples = run.samples["zh"][:2]
    score, other = score_records(scoring, samples, answers, replies, majority=True)
    assert (score["judge"], score["psr"]) == (counting, psr)
    assert other["csr"] == {"a": 1 / 3, "majority": 2 / 3}[counting]


def test_people_correct_the_errors_of_a_judge():
    run = SmallRun(records=[record(number, "easy", CONTENT, COUNT) for number in range(12)])
    run.judge("m", {number: [int(number != 3), 1] for number in range(12)})
    labels = [LABELS[0] | {"sample_id": name, "verdicts": [1, 1]} for name in run.records]
    rows = run.metrics(["j0"], labels)["corrected"].set_index("measure")
    raw = {"CSR": 11.5 / 12, "ISR": 11 / 12, "PSR": 11 / 12}
    assert rows["raw"].to_dict() == pytest.approx(raw)
    assert set(rows["value"]) == {1} and set(rows["clusters"]) == set(rows["units"]) == {12}
    # Wilson's interval where 12 of 12 records are right: 12 ÷ (12 + z²) to 1
    assert rows["low"].tolist() == pytest.approx([12 / 15.841459] * 3)


def test_majority_of_people_counts(run):
    labels = []
    for rater, verdicts in (("a", [1, 1]), ("b", [1, 1]), ("c", [0, 0])):
        labels.append(LABELS[0] | {"rater": rater, "verdicts": verdicts})
    humans = run.metrics(run.judge("m", VERDICTS), labels)["humans"]
    assert humans.set_index("split").loc["full", "raw"] == 1


def test_of_several_people_two_have_to_label_a_response(run):
    labels = [LABELS[0] | {"rater": "a"}, LABELS[0] | {"rater": "b"}, LABELS[1] | {"rater": "a"}]
    humans = run.metrics(run.judge("m", VERDICTS), labels)["humans"]
    assert humans.set_index("split").loc["full", "n"] == 1


def test_invalid_label_is_refused(run):
    judges = run.judge("m", VERDICTS)
    for verdicts, message in (
        ([1], "expected a list of 2 verdicts"),
        ([1, 2], "verdict 2 is 2"),
        ([True, 0], "verdict 1 is True"),
        (["1", 0], "verdict 1 is '1'"),
        ("10", "expected a list of 2 verdicts"),
    ):
        labels = [LABELS[1], LABELS[0] | {"verdicts": verdicts}]
        with pytest.raises(UserError, match=rf"labels\.jsonl: record 2.*{message}"):
            run.metrics(judges, labels)


def test_score_of_other_data_is_refused(run):
    judges = run.judge("m", VERDICTS)
    run.by_model["m"][1] |= {"sample_id": "zh/0042"}
    with pytest.raises(UserError, match="sample zh/0042 of model 'm' is not in the data"):
        run.metrics(judges)


def test_means_over_repeats_by_hand(run):
    run.judge("m", VERDICTS)
    first = run.by_model["m"]
    run.judge("m", VERDICTS | {0: [0, 0], 3: [1, 1]})
    run.by_model["m"] = first + [record | {"repeat": 1} for record in run.by_model["m"]]
    frames = run.metrics(["j0"])
    results = frames["results"]
    # Easy CSR: 1 and 2/3, then 0 and 2/3; hard: ¾ and none, then ¾ and 1.
    assert value(results, split="easy", measure="CSR") == pytest.approx((1 + 2 / 3 + 2 / 3) / 4)
    assert value(results, split="hard", measure="CSR") == pytest.approx((0.75 + 0.75 + 1) / 3)
    full = frames["coverage"].set_index("split").loc["full"]
    assert full[["expected", "scored", "status_invalid"]].tolist() == [8, 7, 1]
    assert set(frames["summary"]["n"]) == {7} and set(frames["summary"]["expected"]) == {8}
