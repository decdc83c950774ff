"""CFBench's metrics, on scores made by hand and on generated runs."""

from collections import Counter

import pytest
from frame_values import value

from cfbench_run import Run
from steadfast.base.errors import UserError
from steadfast.contract.components import Reply
from steadfast.stats.agreement import verdict_agreement


def of(idx: int, split: str, *checkpoints: tuple[str, str, str], **more) -> dict:
    """A record; a checkpoint is priority, type and secondary type."""
    record = {
        "idx": idx,
        "prompt": "写" * (100 + idx),
        "isanswer": "否",
        "gold": "",
        "doamin": "教育",
        "scenario": "",
        "source": "tob",
        "split": split,
        "criteria": [[f"条目{n}", *point] for n, point in enumerate(checkpoints)],
    }
    return record | more


CONTENT = ("主需", "内容约束", "元素内容约束")
STRINGS = ("次需", "数值约束", "单词数值约束")
RECORDS = [
    of(0, "easy", CONTENT, STRINGS),
    of(1, "easy", CONTENT, CONTENT, STRINGS, doamin="金融"),
    of(2, "hard", CONTENT, STRINGS, STRINGS, STRINGS, source="nlp_cif", doamin="Summary"),
    of(3, "hard", CONTENT, ("次需", "", ""), source="nlp_cif", doamin="Couplet"),
]
VERDICTS = {0: [1, 1], 1: [1, 1, 0], 2: [1, 1, 1, 0], 3: None}


class Made(Run):
    """A run whose answers and replies are written by hand."""

    def __init__(self, mode="strict"):
        super().__init__(mode, RECORDS)

    def judged(self, model, *by_judge):
        """Scores of a model by judges who give these verdicts by idx; None is unreadable."""
        found = [
            {f"zh/{idx:04d}": Reply("ok", self.reply(idx, v)) for idx, v in verdicts.items()}
            for verdicts in by_judge
        ]
        judges = {f"j{place}": replies for place, replies in enumerate(found)}
        self.score(model, self.given(lambda sample: "答"), **judges)
        return list(judges)

    def reply(self, idx, verdicts):
        texts = [c["text"] for c in self.records[f"zh/{idx:04d}"]["checkpoints"]]
        if verdicts is None:
            return "无法评估"
        return "\n\n".join(f"{text}\t{v}" for text, v in zip(texts, verdicts, strict=True))


@pytest.fixture
def made():
    return Made()


def test_measures_types_origin_and_factors_by_hand(made):
    found = made.metrics(made.judged("m", VERDICTS))
    results = found["results"]
    assert value(results, split="easy", measure="CSR") == pytest.approx((1 + 2 / 3) / 2)
    assert value(results, split="easy", measure="ISR") == 0.5
    assert value(results, split="easy", measure="PSR") == 0.5  # secondary 0 of 1
    assert value(results, split="hard", measure="CSR") == 0.75  # the unreadable one is in no mean
    assert value(results, split="hard", measure="ISR") == 0
    assert value(results, split="hard", measure="PSR") == 1  # secondary 2 of 3
    assert value(results, split="full", measure="PSR") == pytest.approx(2 / 3)
    assert list(results["n"]) == [2, 2, 2, 1, 1, 1, 3, 3, 3]
    types = made.metrics(made.judged("m", VERDICTS))["types"]
    assert value(types, kind="primary", category="内容约束") == 1
    assert value(types, kind="primary", category="数值约束") == pytest.approx(3 / 5)
    assert value(types, kind="secondary", category="单词数值约束") == pytest.approx(3 / 5)
    assert list(types["n"]) == [4, 5, 4, 5]  # the blank label's record has no verdict
    found = made.metrics(made.judged("m", VERDICTS))
    domains = found["domains"]
    assert value(domains, kind="domain", category="教育", measure="PSR") == 1
    assert value(domains, kind="domain", category="金融", measure="PSR") == 0
    assert value(domains, kind="task", category="Summary", measure="CSR") == 0.75
    assert value(domains, kind="source", category="tob", measure="PSR") == 0.5
    factors = found["factors"]
    assert value(factors, kind="checkpoints", category="1-2", measure="ISR") == 1
    assert value(factors, kind="checkpoints", category="4", measure="ISR") == 0
    assert value(factors, kind="primary", category="2", measure="PSR") == 0
    assert value(factors, kind="types", category="2", measure="PSR") == pytest.approx(2 / 3)
    assert value(factors, kind="characters", category="0-149", measure="PSR") == pytest.approx(
        2 / 3
    )


def test_coverage_and_summary_tell_what_is_missing(made):
    found = made.metrics(made.judged("m", VERDICTS))
    full = found["coverage"].set_index("split").loc["full"]
    assert (full["expected"], full["scored"], full["status_ok"]) == (4, 3, 3)
    assert full["status_invalid"] == 1
    summary = found["summary"]
    assert list(summary["measure"]) == ["CSR", "ISR", "PSR"]
    assert set(summary["n"]) == {3} and set(summary["expected"]) == {4}


def test_released_sets_have_the_released_roundings_and_fallback_replies_are_in_no_type():
    made = Made("released")
    verdicts = VERDICTS | {3: [1, 0]}
    found = made.metrics(made.judged("m", verdicts))["results"]
    assert value(found, split="easy", measure="CSR") == 0.84  # of 1 and 0.67, rounded at that
    assert value(found, split="full", measure="CSR") == 0.73  # of those, 0.75 and 0.5
    # replies that are read by the fallback
    made = Made("released")
    replies = {f"zh/{idx:04d}": made.reply(idx, VERDICTS[idx] or [0, 0]) for idx in VERDICTS}
    replies["zh/0001"] = replies["zh/0001"].replace("\n\n", "\n")
    replies["zh/0003"] = "Error"
    replies = {name: Reply("ok", text) for name, text in replies.items()}
    made.score("m", made.given(lambda sample: "答"), j0=replies)
    found = made.metrics(["j0"])
    full = found["coverage"].set_index("split").loc["full"]
    assert (full["scored"], full["fallback"], full["nothing"]) == (4, 1, 1)
    assert value(found["results"], split="easy", measure="PSR") == 1  # the lost zero
    assert list(found["types"]["n"]) == [2, 4, 2, 4]


def test_judges_agreement_is_that_of_their_verdicts(made):
    second = {0: [1, 0], 1: [1, 1, 0], 2: [0, 1, 1, 0], 3: [1, 1]}
    rows = made.metrics(made.judged("m", VERDICTS, second))["agreement"]
    whole = rows[rows["model"] == ""].iloc[0]
    mine = [v for idx in (0, 1, 2) for v in VERDICTS[idx]]
    other = [v for idx in (0, 1, 2) for v in second[idx]]
    want = verdict_agreement(mine, other)
    assert (whole["first"], whole["second"], whole["n"]) == ("j0", "j1", 9)
    assert (whole["raw"], whole["kappa"]) == pytest.approx((want["raw"], want["kappa"]))
    assert (whole["only_first"], whole["only_second"]) == (0, 2)


LABELS = [
    {"model": "m", "sample_id": "zh/0000", "verdicts": [1, 0]},
    {"model": "m", "sample_id": "zh/0001", "verdicts": [1, 1, 0]},
    {"model": "m", "sample_id": "zh/0002", "verdicts": [1, 1, 1, 0]},
    {"model": "other", "sample_id": "zh/0002", "verdicts": "no matter"},
]


def test_people_and_judges_agree_by_psr_and_of_several_people_the_majority_counts(made):
    made.judged("unlabelled", VERDICTS, VERDICTS)
    judges = made.judged("m", VERDICTS, VERDICTS | {3: [1, 1]})
    found = made.metrics(judges, LABELS)
    # PSR of people 0, 0, 1 and of the judge 1, 0, 1.
    humans = found["humans"].set_index(["judge", "split"])
    want = verdict_agreement([1, 0, 1], [0, 0, 1])
    for judge in judges:
        assert humans.loc[(judge, "full"), "n"] == 3
        assert humans.loc[(judge, "full"), "kappa"] == pytest.approx(want["kappa"])
        assert humans.loc[(judge, "easy"), "raw"] == 0.5
        assert humans.loc[(judge, "hard"), "n"] == 1
    kinds = Counter(found["agreement"]["kind"])
    assert kinds == {"judges": 3, "judge and human": 4}  # the unlabelled has no row

    def by(rater, first):
        return LABELS[0] | {"rater": rater, "verdicts": first}

    labels = [by("a", [1, 1]), by("b", [1, 1]), by("c", [0, 0])]
    humans = made.metrics(made.judged("m", VERDICTS), labels)["humans"]
    assert humans.set_index("split").loc["full", "raw"] == 1  # PSR 1, as two of three say


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"verdicts": [1]}, "expected a list of 2 verdicts"),
        ({"verdicts": [1, 2]}, "verdict 2 is 2"),
        ({"verdicts": [True, 0]}, "verdict 1 is True"),
        ({"verdicts": ["1", 0]}, "verdict 1 is '1'"),
        ({"verdicts": "10"}, "expected a list of 2 verdicts"),
    ],
)
def test_labels_that_are_none_are_named(made, record, named):
    labels = [LABELS[1], LABELS[0] | record]
    with pytest.raises(UserError, match=rf"labels\.jsonl: record 2.*{named}"):
        made.metrics(made.judged("m", VERDICTS), labels)


def test_scores_of_other_data_are_named(made):
    judges = made.judged("m", VERDICTS)
    made.by_model["m"][1] |= {"sample_id": "zh/0042"}
    with pytest.raises(UserError, match="sample zh/0042 of model 'm' is not in the data"):
        made.metrics(judges)


def test_means_over_all_repeats_by_hand(made):
    made.judged("m", VERDICTS)
    first = made.by_model["m"]
    made.judged("m", VERDICTS | {0: [0, 0], 3: [1, 1]})
    made.by_model["m"] = first + [record | {"repeat": 1} for record in made.by_model["m"]]
    found = made.metrics(["j0"])
    results = found["results"]
    # Easy CSR: 1 and 2/3, then 0 and 2/3; hard: ¾ and none, then ¾ and 1.
    assert value(results, split="easy", measure="CSR") == pytest.approx((1 + 2 / 3 + 2 / 3) / 4)
    assert value(results, split="hard", measure="CSR") == pytest.approx((0.75 + 0.75 + 1) / 3)
    full = found["coverage"].set_index("split").loc["full"]
    assert full[["expected", "scored", "status_invalid"]].tolist() == [8, 7, 1]
    assert set(found["summary"]["n"]) == {7} and set(found["summary"]["expected"]) == {8}
