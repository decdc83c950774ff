"""Judge prompts: the whole path, the answer set apart; and what simulated judges reply."""

import random
from dataclasses import replace

from followbench_run import BOTH, run
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.judge import slots
from steadfast.benchmarks.followbench.replies import readable, strict_rating
from steadfast.benchmarks.followbench.simulator import FollowbenchJudge
from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.part_files import judge_items

STRINGS = facts("followbench/judge/words.yaml")
GROUP = {
    "category": "situation",
    "start": "Begin.",
    "levels": [{"instruction": f"Begin, with {n}."} for n in range(1, 6)],
}


def test_the_path_leads_from_the_start_to_the_level_in_words_of_the_category():
    filled = slots(GROUP, 2, STRINGS["en"])
    lines = [line for line in filled["path"].split("\n") if line]
    assert lines[1::2] == ["Begin.", "Begin, with 1.", "Begin, with 2."]
    assert lines[2::2] == [
        "# Instruction with 1 constraint added",
        "# Instruction with 2 constraints added",
    ]
    assert filled["count"] == "2" and filled["constraints"] == "2 constraints"
    assert slots(GROUP, 1, STRINGS["en"])["constraints"] == "1 constraint"
    kinds = {
        slots(GROUP | {"category": c}, 1, STRINGS["en"])["kind"] for c in STRINGS["en"]["kind"]
    }
    assert len(kinds) == 6
    assert "background" in slots(GROUP, 1, STRINGS["en"])["kind"]
    assert slots(GROUP | {"category": "mixed"}, 1, STRINGS["en"])["kind"] == "constraint"
    assert STRINGS["en"].keys() == STRINGS["zh"].keys()


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


@BOTH
def test_every_way_to_ask_has_a_prompt_of_its_own(language):
    found = run(language=language, ways=("path", "last", "rating"))
    answers = found.answers(language)
    sample = next(s for s in found.samples[language] if s.id == f"{language}/style/1/3")
    asked = [p for p in found.judge_prompts(language, answers) if p.answer_id == sample.id]
    names = [language, f"last_{language}", f"rating_{language}"]
    assert [prompt.template for prompt in asked] == names
    ids = [request.id for prompt in asked for request in prompt.requests]
    assert ids == [sample.id, f"{sample.id}/last", f"{sample.id}/rating"]
    first = sample.source["levels"][0]["instruction"]
    for prompt in asked:
        assert prompt.answer == answers[sample.id].text
        assert sample.prompt["instruction"] in prompt.head
        assert "{{" not in prompt.head + prompt.requests[0].tail
        # Each version holds the one before it; without the path there is the last one alone.
        assert prompt.head.count(first) == (3 if prompt.template == language else 1)
    assert "YES" not in asked[2].requests[0].tail and "[[" in asked[2].requests[0].tail


def test_every_prompt_is_the_same_beside_other_ways_and_replies_are_read_strictly():
    answers = run().answers("en")
    of_all = run(ways=("rating", "last", "path")).judge_prompts("en", answers)
    assert [p for p in of_all if p.template == "en"] == run().judge_prompts("en", answers)
    rated = {"count": 2, "highest": 10}
    assert readable(rated, "Good.\nRating: [[7]]", "An answer.")
    assert not readable(rated, "['YES', 'NO']", "An answer.")
    assert readable({"count": 2, "language": "en"}, "['YES', 'NO']", "An answer.")
    assert not readable({"count": 3, "language": "en"}, "['YES', 'NO']", "An answer.")


def asked_about(answer: str, count: int) -> tuple[JudgePrompt, JudgeRequest]:
    request = JudgeRequest("en/style/1/3", "", {"count": count}, "", 1024)
    return JudgePrompt("en/style/1/3", "en", "", answer, [request]), request


def test_a_stand_in_judge_rates_an_answer_above_five_where_it_keeps_all():
    def rating(kept: str, **reader) -> float | None:
        prompt, request = asked_about(f"Something.\n[simulated: kept {kept}]", 5)
        request = replace(request, expected={"count": 5, "highest": 10})
        rng = random.Random(kept)
        return strict_rating(FollowbenchJudge().simulated(prompt, request, reader, rng), "")

    assert rating("1, 2, 3, 4, 5") == 10
    assert [rating("1, 2, 3, 4"), rating("2"), rating("")] == [4, 1, 0]
    assert None in [rating(f"{n}", slip=0.9) for n in range(40)]
