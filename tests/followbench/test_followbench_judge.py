"""Judge prompts: the whole path, the answer set apart; and what stand-in judges reply."""

import random

import pytest

from followbench_run import BOTH, REFUSED, run
from steadfast.components import JudgePrompt, JudgeRequest
from steadfast.errors import UserError
from steadfast.followbench.judge import slots
from steadfast.followbench.readers import FollowbenchJudge
from steadfast.followbench.verdicts import readable, strict
from steadfast.resources import facts
from steadfast.stages.samples import judge_items

WORDS = facts("followbench/judge/words.yaml")
GROUP = {
    "category": "situation",
    "start": "Begin.",
    "levels": [{"instruction": f"Begin, with {n}."} for n in range(1, 6)],
}


def test_the_path_leads_from_the_start_to_the_level():
    filled = slots(GROUP, 2, WORDS["en"])
    lines = [line for line in filled["path"].split("\n") if line]
    assert lines[1::2] == ["Begin.", "Begin, with 1.", "Begin, with 2."]
    assert lines[2::2] == [
        "# Instruction with 1 constraint added",
        "# Instruction with 2 constraints added",
    ]
    assert filled["count"] == "2" and filled["constraints"] == "2 constraints"


def test_one_constraint_is_in_the_singular_and_each_category_is_named():
    assert slots(GROUP, 1, WORDS["en"])["constraints"] == "1 constraint"
    kinds = {slots(GROUP | {"category": c}, 1, WORDS["en"])["kind"] for c in WORDS["en"]["kind"]}
    assert len(kinds) == 5
    assert "background" in slots(GROUP, 1, WORDS["en"])["kind"]
    assert slots(GROUP | {"category": "mixed"}, 1, WORDS["en"])["kind"] == "constraint"
    assert WORDS["en"].keys() == WORDS["zh"].keys()


@BOTH
def test_each_judged_answer_is_asked_about_once(language):
    found = run(language=language)
    answers = found.answers(language)
    judged = {s.id: s for s in found.samples[language] if s.prompt["scorer"] == "judge"}
    asked = judge_items(found.judge_prompts(language, answers))
    assert [item.sample_id for item in asked] == list(judged)
    for item in asked:
        sample = judged[item.sample_id]
        assert item.context == answers[sample.id].text
        assert sample.source["start"] in item.head and sample.prompt["instruction"] in item.head
        boundary = item.head.rstrip("\n").split("\n")[-1]
        assert item.tail.startswith(f"\n{boundary}\n") and boundary not in item.context
        assert item.reminder.startswith("\n\n") and item.max_tokens == 1024
        assert "{{" not in item.head + item.tail


def test_what_is_not_answered_is_not_judged():
    answers = run().answers("en", changes={REFUSED: {"status": "refused", "text": ""}})
    asked = [prompt.answer_id for prompt in run().judge_prompts("en", answers)]
    assert REFUSED not in asked and "en/style/1/1" in asked


def test_a_template_of_the_users_takes_the_place_of_ours(tmp_path):
    mine, answers = tmp_path / "mine.txt", run().answers("en")
    mine.write_text("{{path}}\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{count}}!\n")
    (request,) = run().judge_prompts("en", answers, {"en": str(mine)})[0].requests
    assert request.tail.endswith("\n1!") and request.reminder == ""
    mine.write_text("{{path}} {{answer}}")
    with pytest.raises(UserError, match=r"mine\.txt: the slot \{\{count\}\} is missing"):
        run().judge_prompts("en", answers, {"en": str(mine)})


def asked_about(answer: str, count: int) -> tuple[JudgePrompt, JudgeRequest]:
    request = JudgeRequest("en/style/1/3", "", {"count": count}, "", 1024)
    return JudgePrompt("en/style/1/3", "en", "", answer, [request]), request


def test_a_stand_in_judge_takes_an_answer_at_its_word():
    def reply(answer: str, count: int) -> str:
        return FollowbenchJudge().reference(*asked_about(answer, count))

    assert strict(reply("Something.\n[simulated: kept 1, 3]", 3), "", 3) == [1, 0, 1]
    assert strict(reply("Something else.", 3), "", 3) is None


def test_a_simulated_judge_errs_and_is_not_always_readable():
    asked = asked_about("Something.\n[simulated: kept 1, 2, 3, 4, 5]", 5)

    def reply(n: int) -> str:
        return FollowbenchJudge().simulated(*asked, {"slip": 0.4}, random.Random(n))

    found = [strict(reply(n), "", 5) for n in range(300)]
    assert 10 < found.count(None) < 60
    wrong = sum(verdicts.count(0) for verdicts in found if verdicts)
    assert 0.05 < wrong / (5 * 300) < 0.15
    assert [reply(n) for n in range(20)] == [reply(n) for n in range(20)]


def test_readable_is_the_strict_reading():
    assert readable({"count": 2}, "['YES', 'NO']", "An answer.")
    assert not readable({"count": 3}, "['YES', 'NO']", "An answer.")
