"""Direct scoring: what is asked, how a score is read, and how it stands beside other verdicts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfbench_run import READER, Run
from steadfast.base.errors import UserError
from steadfast.benchmarks.cfbench.benchmark import CFBENCH
from steadfast.benchmarks.cfbench.replies import direct_score, readable
from steadfast.benchmarks.cfbench.satisfaction import is_satisfied
from steadfast.benchmarks.cfbench.tables import tables
from steadfast.config.load import load_config
from steadfast.contract.components import Reply
from steadfast.show.roster import Display, Shown
from steadfast.stats.agreement import verdict_agreement

MODES = ("strict", "released")
REFERENCE = {"r": {"engine": "reference"}}


@pytest.fixture(scope="module")
def run():
    return Run(direct=True)


def test_a_reply_is_a_score_only_in_its_form():
    for reply, strict, released in (
        ("两条要求都做到了。\n评分：0.85", 0.85, 0.85),
        ("**评分：0.5**\n", 0.5, None),  # float takes no bold type
        ("> 评分: 0.4", 0.4, None),
        ("评分：0.7。", 0.7, None),
        ("评分：1.00", 1.0, 1.0),
        ("评分：0.125", None, 0.125),
        ("评分：8/10", None, None),
        ("评分：-0.1", None, None),
        ("评分：nan", None, None),
        ("评分：1e-1", None, 0.1),
        ("评分：０.５", None, 0.5),  # full-width digits are a number to float
        ("评分：0.5\n评分：0.9", None, 0.9),
        ("评分：0.5\n以上是我的评价。", None, 0.5),
        ("评分：", None, None),
        ("", None, None),
    ):
        assert (direct_score("strict", reply, ""), direct_score("released", reply, "")) == (
            strict,
            released,
        )


@given(
    st.text() | st.text("评分：:0123456789.* \n"), st.text("评分：01.\n"), st.sampled_from(MODES)
)
def test_whatever_is_replied_it_is_a_score_from_0_to_1_or_none(reply, answer, mode):
    score = direct_score(mode, reply, answer)
    assert score is None or 0 <= score <= 1
    assert readable({"mode": mode, "direct": 3}, reply, answer) == (score is not None)


def test_a_score_is_the_judges_and_satisfied_above_four_fifths_exactly():
    answer = "亲爱的阿姨：见信好。\n评分：1"
    assert direct_score("strict", f"模型回答：\n{answer}", answer) is None
    assert direct_score("strict", f"{answer}\n只做到一半。\n评分：0.5", answer) == 0.5
    assert [is_satisfied(score) for score in (0.0, 0.8, 0.81, 1.0)] == [0, 0, 1, 1]
    assert is_satisfied(0.8, 0.8, 0.8) == is_satisfied(0.7, 0.9) == 0
    assert is_satisfied(0.7, 0.8, 0.91) == 1
    for text in ("评分：" * 100_000, "* " * 200_000 + "评分：1x", "评分：" + "9" * 400_000):
        for mode in MODES:
            assert direct_score(mode, text, "") is None


def test_a_judge_is_asked_for_both_and_the_score_is_asked_for_without_the_checklist(run):
    answers = run.answers("zh")
    checklist, scored = (run.judge_prompts("zh", answers)[n::2] for n in (0, 1))
    assert [prompt.template for prompt in checklist] == ["zh"] * 24
    assert checklist == Run().judge_prompts("zh", answers)  # nothing is paid for twice
    for prompt in scored:
        record = run.records[prompt.answer_id]
        (request,) = prompt.requests
        assert (prompt.template, request.id) == ("direct", f"{prompt.answer_id}/direct")
        whole = prompt.head + prompt.answer + request.tail
        assert record["prompt"] in whole and record["gold"] in whole and "{{" not in whole
        assert not any(point["text"] in request.tail for point in record["checkpoints"])
        assert request.reminder.strip()


def test_an_answer_without_a_score_keeps_its_verdicts_and_the_other_way_round(run):
    answers = run.given(lambda sample: None if sample.id == "zh/0003" else "答")
    texts = {name: [c["text"] for c in one["checkpoints"]] for name, one in run.records.items()}
    replies = {
        "zh/0000": Reply("ok", "\n\n".join(f"{text}\t1" for text in texts["zh/0000"])),
        "zh/0000/direct": Reply("ok", "十分"),
        "zh/0001": Reply("ok", "不知道"),
        "zh/0001/direct": Reply("ok", "评分：0.25"),
        "zh/0002/direct": Reply("error", ""),
    }
    both, score, neither, refused = run.score("m", answers, j=replies)[:4]
    assert (both["status"], both["psr"], both["direct"]) == ("ok", 1, None)
    assert both["extracted"]["direct"] == {"problem": "the reply gives no score"}
    assert (score["status"], score["psr"], score["direct"]) == ("invalid", None, 0.25)
    assert neither["direct"] is None and "error" in neither["extracted"]["direct"]["problem"]
    assert (refused["status"], refused["direct"]) == ("refused", None)
    assert "direct" not in Run().score("m", answers, j=replies)[0]


def judged(run, *given):
    """Scores of a model whose records have these PSR and direct scores; None is unreadable."""
    replies = {}
    for sample, (psr, score) in zip(run.records, given, strict=False):
        texts = [point["text"] for point in run.records[sample]["checkpoints"]]
        replies[sample] = Reply("ok", "\n\n".join(f"{text}\t{psr}" for text in texts))
        replies[f"{sample}/direct"] = Reply("ok", f"评分：{score}")
    run.by_model.clear()
    run.score("m", run.given(lambda sample: "答"), j=replies)
    return list(run.records)[: len(given)]


GIVEN = [(1, 0.9), (1, 0.8), (0, 0.1), (0, 1), (1, "?"), (1, 0.95)]


def test_scores_are_set_beside_the_psr_of_the_same_judge(run):
    judged(run, *GIVEN)
    rows = run.metrics(["j"])["direct"].set_index(["split", "measure"])
    whole = rows.loc["full"]
    assert whole.loc["score", "value"] == pytest.approx((0.9 + 0.8 + 0.1 + 1 + 0.95) / 5)
    assert whole.loc["satisfied", "value"] == pytest.approx(3 / 5)
    want = verdict_agreement([1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    assert whole.loc["kappa", "value"] == pytest.approx(want["kappa"])
    assert (whole["n"] == 5).all() and (whole["expected"] == 24).all()
    splits = [run.records[name]["split"] for name in list(run.records)[:6]]
    assert rows.loc[("easy", "score"), "n"] == splits.count("easy") - (splits[4] == "easy")


def test_people_who_score_whole_answers_are_set_beside_both_ways(run):
    names = judged(run, *GIVEN)
    people = {
        "a": [1, 1, 0, 0.7, 1, 0.5],
        "b": [0.9, 0.7, 0.2, 0.9, 1, 1],
        "c": [1, 0.9, 0, 1, 1, 1],
    }
    labels = [
        {"model": "m", "sample_id": name, "rater": rater, "verdicts": score}
        for rater, scores in people.items()
        for name, score in zip(names, scores, strict=True)
    ]
    found = run.metrics(["j"], labels)
    mean = [sum(scores) / 3 > 0.8 + 1e-9 for scores in zip(*people.values(), strict=True)]
    assert mean == [True, True, False, True, True, True]  # 0.967, 0.867, 0.067, 0.867, 1, 0.833
    ways = {
        name: found[name].set_index("split").loc["full"] for name in ("humans", "direct_humans")
    }
    psr = verdict_agreement([1, 1, 0, 0, 1, 1], mean)
    scored = verdict_agreement([1, 0, 0, 1, 1], [*mean[:4], mean[5]])
    for way, want in ((ways["humans"], psr), (ways["direct_humans"], scored)):
        assert (way["n"], way["raw"]) == (want["n"], want["raw"])
        assert way["kappa"] == pytest.approx(want["kappa"])
    assert (found["agreement"]["n"] == 0).all()  # nobody judged single checkpoints


def test_a_checklist_and_a_score_of_two_people_count_together(run):
    (name, *_) = judged(run, *GIVEN)
    ones = [1] * len(run.records[name]["checkpoints"])

    def satisfied(*verdicts):
        labels = [
            {"model": "m", "sample_id": name, "rater": f"r{n}", "verdicts": one}
            for n, one in enumerate(verdicts)
        ]
        return run.metrics(["j"], labels)["humans"].set_index("split").loc["full", "raw"]

    assert satisfied(ones, 0.7) == 1.0  # a mean of 0.85, and the judge's PSR is 1
    assert satisfied(ones, 0.5) == 0.0


@pytest.mark.parametrize("score", [7, -0.1, math.nan, 10**400])
def test_a_score_that_is_none_is_named(run, score):
    (name, *_) = judged(run, *GIVEN)
    labels = [{"model": "m", "sample_id": name, "verdicts": score}]
    with pytest.raises(UserError, match=r"labels\.jsonl: record 1.*not between 0 and 1"):
        run.metrics(["j"], labels)


def test_the_tables_show_both_ways_and_what_is_missing():
    run = Run(direct=True)
    answers = run.read(READER)
    run.score("m", answers, j=run.judged(answers, slip=0.8))
    name = next(iter(run.records))
    labels = [{"model": "m", "sample_id": name, "verdicts": 0.9}]
    frames = run.metrics(["j"], labels)
    display = Display(models={"m": Shown("m", engine="openai")})
    table, people = tables(frames, display, "strict", ["direct", "table6_humans"])
    rows = frames["direct"].set_index(["split", "measure"]).loc["full"]
    (section,) = table.sections
    cells = section.rows[0][-3:]
    assert [float(cell.text) for cell in cells] == pytest.approx(rows["value"].tolist(), abs=5e-4)
    assert rows.loc["score", "n"] < 24 and cells[0].marks == ("incomplete",)
    assert any(f"m ({rows.loc['score', 'n']} of 24)" in text for _, text in table.notes)
    assert [row[0].text for row in people.sections[0].rows] == ["j (DS)", "j (PSR)"]


def test_the_config_asks_for_it():
    def task(direct):
        raw = {"benchmarks": ["cfbench"]} | dict.fromkeys(("models", "judges"), REFERENCE)
        return CFBENCH.of(load_config(raw | {"cfbench": {"direct": direct}}))

    with_it = task(True)
    without = task(False)
    assert set(with_it.metrics.names) - set(without.metrics.names) == {"direct", "direct_humans"}
    assert set(with_it.tables.names) - set(without.tables.names) == {"cfbench_direct"}
    assert set(with_it.judging.templates) == {"zh", "direct"}
    assert list(without.judging.templates) == ["zh"]
