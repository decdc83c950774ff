"""What rules decide, asked of judges too: the rules' scores stay, and the judge is held to them."""

import pytest

from judge_server import worded
from judged_run import SMALL, JudgedRun, sent
from steadfast.contract.components import Reply, Scored
from steadfast.stats.agreement import RULES, on_rule_items

BY_RULE = {
    "followbench": lambda run, record: record["scorer"] != "judge",
    "complexbench": lambda run, record: any(
        how["by"] == "rule" for how in (record["extracted"] or {}).values()
    ),
}


def judged(run: JudgedRun, part: str, says: int) -> dict:
    """Scores by a judge who says the same of everything, by sample."""
    answers = run.answers(part, "simulated")
    requests = sent(part, run.judge_prompts(part, answers))
    replies = {r.id: Reply("ok", worded(r.asked, [says] * r.asked.count)) for r in requests}
    return run.scores(part, answers, judge=replies)


@pytest.mark.parametrize("name", BY_RULE)
@pytest.mark.parametrize("says", [0, 1])
def test_the_rule_scores_and_the_judge_stands_beside_it(name, says):
    plain = JudgedRun(name, SMALL[name])
    asked = JudgedRun(name, SMALL[name], rule_items=True)
    found = 0
    scores = []
    for part in asked.samples:
        alone = judged(plain, part, says)
        beside = judged(asked, part, says)
        for sample, record in beside.items():
            others = record.pop("other_raters")
            assert record == {k: v for k, v in alone[sample].items() if k != "other_raters"}
            assert set(others) == ({"judge (on rules)"} if BY_RULE[name](asked, record) else set())
            for other in others.values():
                found += 1
                assert other["status"] == "ok"
                scores.append(Scored("m", part, record | {"other_raters": others}))
    assert found > 0

    def read(rated):
        if name == "followbench":
            return {0: int(rated["total"])}
        return {point: verdict for point, verdict in rated["raw"].items() if verdict is not None}

    def decided(record):
        return [point for point, how in record["extracted"].items() if how["by"] == "rule"]

    rows = on_rule_items(["judge"], scores, read, None if name == "followbench" else decided)
    # Who says yes to all finds all that holds and nothing that does not; who says no the reverse.
    (row,) = rows[rows["model"] == ""].to_dict("records")
    assert (row["kind"], row["first"], row["second"]) == (RULES, "judge", "rule")
    assert (row["sensitivity"], row["specificity"]) == (says, 1 - says)


def test_sensitivity_and_specificity_by_hand():
    # Of four that hold the judge finds three, of two that do not it finds one; on one it is unread.
    verdicts = [(1, 1), (1, 1), (1, 1), (1, 0), (0, 0), (0, 1), (1, None)]
    scores = [
        Scored("m", "en", {
            "sample_id": str(n), "repeat": 0, "context_id": str(n), "total": rule,
            "other_raters": {"j (on rules)": {"total": judge}},
        })
        for n, (rule, judge) in enumerate(verdicts)
    ]  # fmt: skip
    rows = on_rule_items(
        ["j", "j#1"], scores, lambda of: {} if of["total"] is None else {0: of["total"]}
    )
    for row in rows[rows["first"] == "j"].to_dict("records"):
        assert (row["n"], row["sensitivity"], row["specificity"]) == (6, 0.75, 0.5)
        assert row["sensitivity_low"] < 0.75 < row["sensitivity_high"]
        assert (row["only_first"], row["only_second"]) == (0, 1)
    assert list(rows["first"]) == ["j", "j"]


def test_nothing_is_asked_where_nobody_wants_it():
    run = JudgedRun("followbench")
    (part, *_) = run.samples
    answers = run.answers(part)
    asked = {request.answer_id for request in sent(part, run.judge_prompts(part, answers))}
    by_rule = {s.id for s in run.samples[part] if s.prompt["scorer"] != "judge"}
    assert by_rule and not asked & by_rule
    assert on_rule_items(["j"], [], lambda of: {}).empty
