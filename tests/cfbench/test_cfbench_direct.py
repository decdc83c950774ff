"""Direct scores: how they are requested, read, and compared with checklists and people."""

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
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stats.agreement import verdict_agreement

MODES = ("strict", "released")


@pytest.fixture(scope="module")
def run():
    return Run(direct=True)


def test_score_is_read_from_the_last_line():
    for reply, strict, released in (
        ("两条要求都做到了。\n评分：0.85", 0.85, 0.85),
        ("**评分：0.5**\n", 0.5, None),  # float takes no bold type
        ("> 评分: 0.4", 0.4, None),
        ("评分：0.7。", 0.7, None),
        ("评分：1.00", 1.0, 1.0),
        ("评分：0", 0.0, 0.0),
        ("评分：1.1", None, None),
        ("评分：0." + 30 * "5", None, 5 / 9),  # at most 32 characters
        ("评分：0." + 31 * "5", None, None),
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
        assert direct_score("strict", reply, "") == strict, reply
        assert direct_score("released", reply, "") == released, reply


@given(
    st.text() | st.text("评分：:0123456789.* \n"), st.text("评分：01.\n"), st.sampled_from(MODES)
)
def test_any_reply_has_a_score_from_0_to_1_or_none(reply, answer, mode):
    score = direct_score(mode, reply, answer)
    assert score is None or 0 <= score <= 1
    assert readable({"mode": mode, "direct": 3}, reply, answer) == (score is not None)


def test_score_quoted_from_the_response_is_ignored():
    answer = "亲爱的阿姨：见信好。\n评分：1"
    assert direct_score("strict", f"模型回答：\n{answer}", answer) is None
    assert direct_score("strict", f"{answer}\n只做到一半。\n评分：0.5", answer) == 0.5


def test_mean_score_above_four_fifths_is_satisfied():
    assert [is_satisfied(score) for score in (0.0, 0.8, 0.81, 1.0)] == [0, 0, 1, 1]
    assert is_satisfied(0.8, 0.8, 0.8) == is_satisfied(0.7, 0.9) == 0
    assert is_satisfied(0.7, 0.8, 0.91) == 1


@pytest.mark.parametrize("mode", MODES)
def test_long_replies_have_no_score(mode):
    for text in ("评分：" * 100_000, "* " * 200_000 + "评分：1x", "评分：" + "9" * 400_000):
        assert direct_score(mode, text, "") is None


def test_score_is_requested_in_a_prompt_without_the_checklist(run):
    answers = run.answers("zh")
    prompts = run.judge_prompts("zh", answers)
    # The prompts of the checklist are those without direct scores: nothing is paid for twice.
    assert prompts[0::2] == Run().judge_prompts("zh", answers)
    for prompt in prompts[1::2]:
        record = run.records[prompt.answer_id]
        (request,) = prompt.requests
        assert (prompt.template, request.id) == ("direct", f"{prompt.answer_id}/direct")
        text = prompt.head + prompt.answer + request.tail
        assert record["prompt"] in text and record["gold"] in text and "{{" not in text
        assert not any(point["text"] in request.tail for point in record["checkpoints"])
        assert request.reminder.strip() and request.max_tokens == 512


def test_checklist_and_score_are_valid_independently(run):
    answers = run.responses(lambda sample: None if sample.id == "zh/0003" else "答")
    checkpoints = run.records["zh/0000"]["checkpoints"]
    replies = {
        "zh/0000": run.checklist_reply("zh/0000", [1] * len(checkpoints)),
        "zh/0000/direct": Reply("ok", "十分"),
        "zh/0001": Reply("ok", "不知道"),
        "zh/0001/direct": Reply("ok", "评分：0.25"),
        "zh/0002/direct": Reply("error", ""),
    }
    no_score, no_checklist, neither, refused = run.score("m", answers, j=replies)[:4]
    assert (no_score["status"], no_score["psr"], no_score["direct"]) == ("ok", 1, None)
    assert no_score["extracted"]["direct"] == {"problem": "the reply gives no score"}
    assert (no_checklist["status"], no_checklist["psr"]) == ("invalid", None)
    assert no_checklist["direct"] == 0.25
    assert neither["direct"] is None and "error" in neither["extracted"]["direct"]["problem"]
    assert (refused["status"], refused["direct"]) == ("refused", None)
    assert "direct" not in Run().score("m", answers, j=replies)[0]


SCORES = [(1, 0.9), (1, 0.8), (0, 0.1), (0, 1), (1, "?"), (1, 0.95)]
"""PSR and direct score of the first records; one score is unreadable."""


@pytest.fixture
def names(run) -> list[str]:
    """The first records, judged with these scores."""
    names = list(run.records)[: len(SCORES)]
    replies = {}
    for name, (psr, score) in zip(names, SCORES, strict=True):
        checkpoints = run.records[name]["checkpoints"]
        replies[name] = run.checklist_reply(name, [psr] * len(checkpoints))
        replies[f"{name}/direct"] = Reply("ok", f"评分：{score}")
    run.by_model.clear()
    run.score("m", run.responses(lambda sample: "答"), j=replies)
    return names


def test_scores_are_compared_with_the_psr_of_the_same_judge(run, names):
    rows = run.metrics(["j"])["direct"].set_index(["split", "measure"])
    full = rows.loc["full"]
    assert full.loc["score", "value"] == pytest.approx((0.9 + 0.8 + 0.1 + 1 + 0.95) / 5)
    assert full.loc["satisfied", "value"] == pytest.approx(3 / 5)
    expected = verdict_agreement([1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    assert full.loc["kappa", "value"] == pytest.approx(expected["kappa"])
    assert (full["n"] == 5).all() and (full["expected"] == 24).all()
    splits = [run.records[name]["split"] for name in names]
    assert rows.loc[("easy", "score"), "n"] == splits.count("easy") - (splits[4] == "easy")


def labels_of(name: str, *verdicts) -> list[dict]:
    """Labels of a record, each by another person."""
    label = {"model": "m", "sample_id": name}
    return [label | {"rater": f"r{n}", "verdicts": verdict} for n, verdict in enumerate(verdicts)]


def test_people_are_compared_with_scores_and_psr(run, names):
    scores = [  # of three people; the mean is satisfied above 0.8
        ((1, 0.9, 1), True),
        ((1, 0.7, 0.9), True),
        ((0, 0.2, 0), False),
        ((0.7, 0.9, 1), True),
        ((1, 1, 1), True),
        ((0.5, 1, 1), True),
    ]
    labels = []
    for name, (by_person, _) in zip(names, scores, strict=True):
        labels += labels_of(name, *by_person)
    satisfied = [verdict for _, verdict in scores]
    frames = run.metrics(["j"], labels)
    psr = verdict_agreement([1, 1, 0, 0, 1, 1], satisfied)
    direct = verdict_agreement([1, 0, 0, 1, 1], [*satisfied[:4], satisfied[5]])
    for frame, expected in (("humans", psr), ("direct_humans", direct)):
        full = frames[frame].set_index("split").loc["full"]
        assert (full["n"], full["raw"]) == (expected["n"], expected["raw"])
        assert full["kappa"] == pytest.approx(expected["kappa"])
    assert (frames["agreement"]["n"] == 0).all()  # nobody judged single checkpoints


@pytest.mark.parametrize(("score", "agreement"), [(0.7, 1.0), (0.5, 0.0)])
def test_checklist_of_one_person_and_score_of_another_are_averaged(run, names, score, agreement):
    """The judge's PSR is 1, as is the first person's; means are 0.85 and 0.75."""
    ones = [1] * len(run.records[names[0]]["checkpoints"])
    labels = [*labels_of(names[0], ones, score), *labels_of(names[1], 0.9)]
    humans = run.metrics(["j"], labels)["humans"].set_index("split")
    assert humans.loc["full", "raw"] == agreement
    # Of two people one alone labelled the second record, which is left out; none a hard one.
    assert [run.records[name]["split"] for name in names[:2]] == ["easy", "easy"]
    assert humans["n"].to_dict() == {"easy": 1, "hard": 0, "full": 1}


@pytest.mark.parametrize("score", [7, -0.1, math.nan, 10**400])
def test_invalid_score_of_a_person_is_refused(run, names, score):
    with pytest.raises(UserError, match=r"labels\.jsonl: record 1.*not between 0 and 1"):
        run.metrics(["j"], labels_of(names[0], score))


def test_tables_show_scores_and_what_is_missing():
    run = Run(direct=True)
    answers = run.simulated_responses(READER)
    run.score("m", answers, j=run.simulated_replies(answers, slip=0.8))
    frames = run.metrics(["j"], labels_of(next(iter(run.records)), 0.9))
    models = {"m": DisplayedModel("m", engine="openai")}
    display = Display(models=models, judges={"j": DisplayedModel("j", engine="openai")})
    table, people = tables(frames, display, "strict", ["direct", "table6_humans"])
    full = frames["direct"].set_index(["split", "measure"]).loc["full"]
    (section,) = table.sections
    cells = section.rows[0][-3:]
    assert [float(cell.text) for cell in cells] == pytest.approx(full["value"].tolist(), abs=5e-4)
    assert full.loc["score", "n"] < 24 and cells[0].marks == ("incomplete",)
    assert any(f"m ({full.loc['score', 'n']} of 24)" in text for _, text in table.notes)
    assert ("data", "Judge: j.") in table.notes
    assert [row[0].text for row in people.sections[0].rows] == ["j (DS)", "j (PSR)"]


def test_config_adds_direct_scores():
    def task(direct):
        reference = {"r": {"engine": "reference"}}
        raw = {"benchmarks": ["cfbench"], "models": reference, "judges": reference}
        return CFBENCH.of(load_config(raw | {"cfbench": {"direct": direct}}))

    with_scores = task(True)
    without = task(False)
    metrics = set(with_scores.metrics.names) - set(without.metrics.names)
    assert metrics == {"direct", "direct_humans"}
    assert set(with_scores.tables.names) - set(without.tables.names) == {"cfbench_direct"}
    assert set(with_scores.judging.templates) == {"zh", "direct"}
    assert list(without.judging.templates) == ["zh"]
    assert without.parts["zh"].tokens == 1024
