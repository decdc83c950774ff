"""A judge of items that rules score: the rules' scores count, and agreement compares the judge."""

import pytest

from judge_server import reply_with
from judged_run import SMALL, JudgedRun, sent
from steadfast.contract.components import Reply, Scored
from steadfast.stats.agreement import RULES, on_rule_items


def rule_points(record: dict) -> list[str]:
    """The questions of a ComplexBench answer that rules decide."""
    extracted = record["extracted"] or {}
    return [point for point, decision in extracted.items() if decision["by"] == "rule"]


SCORED_BY_RULE = {
    "followbench": lambda record: record["scorer"] != "judge",
    "complexbench": lambda record: bool(rule_points(record)),
}
VERDICTS = {
    "followbench": lambda rater: {0: int(rater["total"])},
    "complexbench": lambda rater: {
        point: verdict for point, verdict in rater["raw"].items() if verdict is not None
    },
}


def scores(run: JudgedRun, part: str, verdict: int) -> dict:
    """Scores by a judge with the same verdict on everything, by sample."""
    answers = run.answers(part, "simulated")
    replies = {}
    for request in sent(part, run.judge_prompts(part, answers)):
        verdicts = [verdict] * request.query.count
        replies[request.id] = Reply("ok", reply_with(request.query, verdicts))
    return run.scores(part, answers, judge=replies)


@pytest.mark.parametrize("name", SCORED_BY_RULE)
@pytest.mark.parametrize("verdict", [0, 1])
def test_rule_score_counts_and_the_judge_is_another_rater(name, verdict):
    plain = JudgedRun(name, SMALL[name])
    with_rule_items = JudgedRun(name, SMALL[name], rule_items=True)
    scored = []
    for part in with_rule_items.samples:
        expected = scores(plain, part, verdict)
        for sample, record in scores(with_rule_items, part, verdict).items():
            by_rule = SCORED_BY_RULE[name](record)
            raters = record["other_raters"]
            assert record | {"other_raters": None} == expected[sample] | {"other_raters": None}
            assert set(raters) == ({"judge (on rules)"} if by_rule else set())
            if by_rule:
                assert raters["judge (on rules)"]["status"] == "ok"
                scored.append(Scored("m", part, record))
    assert scored

    decided = rule_points if name == "complexbench" else None
    rows = on_rule_items(["judge"], scored, VERDICTS[name], decided)
    # A judge that always says yes finds all that holds and nothing that does not; one that always
    # says no, the reverse.
    (row,) = rows[rows["model"] == ""].to_dict("records")
    assert (row["kind"], row["first"], row["second"]) == (RULES, "judge", "rule")
    assert (row["sensitivity"], row["specificity"]) == (verdict, 1 - verdict)


def test_sensitivity_and_specificity_by_hand():
    # The judge finds three of four that hold, and one of two that do not; one reply is unread.
    verdicts = [(1, 1), (1, 1), (1, 1), (1, 0), (0, 0), (0, 1), (1, None)]
    scored = []
    for number, (rule, judge) in enumerate(verdicts):
        raters = {"j (on rules)": {"total": judge}}
        record = {"sample_id": str(number), "repeat": 0, "context_id": str(number), "total": rule}
        scored.append(Scored("m", "en", record | {"other_raters": raters}))
    rows = on_rule_items(
        ["j", "j#1"],
        scored,
        lambda rater: {} if rater["total"] is None else {0: rater["total"]},
    )
    assert list(rows["first"]) == ["j", "j"]
    for row in rows.to_dict("records"):
        assert (row["n"], row["sensitivity"], row["specificity"]) == (6, 0.75, 0.5)
        assert row["sensitivity_low"] < 0.75 < row["sensitivity_high"]
        assert (row["only_first"], row["only_second"]) == (0, 1)


def test_rule_items_are_not_judged_by_default():
    run = JudgedRun("followbench")
    (part, *_) = run.samples
    prompts = run.judge_prompts(part, run.answers(part))
    judged = {request.answer_id for request in sent(part, prompts)}
    by_rule = {s.id for s in run.samples[part] if s.prompt["scorer"] != "judge"}
    assert by_rule and not judged & by_rule
    assert on_rule_items(["j"], [], lambda rater: {}).empty
