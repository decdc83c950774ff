"""Judge prompts: the path of instructions, the response set apart; and simulated judges."""

import random

from followbench_run import BOTH, run
from judged_run import JudgedRun
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.agreement import questions
from steadfast.benchmarks.followbench.judge import slots
from steadfast.benchmarks.followbench.replies import readable, strict_rating
from steadfast.benchmarks.followbench.simulator import FollowbenchJudge
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample
from steadfast.contract.part_files import judge_items

STRINGS = facts("followbench/judge/words.yaml")
GROUP = {
    "category": "situation",
    "start": "Begin.",
    "levels": [{"instruction": f"Begin, with {n}."} for n in range(1, 6)],
}


def test_path_goes_from_the_start_to_the_level():
    filled = slots(GROUP, 2, STRINGS["en"])
    lines = [line for line in filled["path"].split("\n") if line]
    assert lines[1::2] == ["Begin.", "Begin, with 1.", "Begin, with 2."]
    assert lines[2::2] == [
        "# Instruction with 1 constraint added",
        "# Instruction with 2 constraints added",
    ]
    assert filled["count"] == "2" and filled["constraints"] == "2 constraints"
    assert slots(GROUP, 1, STRINGS["en"])["constraints"] == "1 constraint"


def test_each_category_has_its_word_for_constraints():
    kinds = {}
    for category in STRINGS["en"]["kind"]:
        kinds[category] = slots(GROUP | {"category": category}, 1, STRINGS["en"])["kind"]
    assert len(set(kinds.values())) == 6
    assert "background" in kinds["situation"] and kinds["mixed"] == "constraint"
    assert STRINGS["en"].keys() == STRINGS["zh"].keys()


@BOTH
def test_each_response_without_rule_is_judged_once(language):
    judged = run(language=language)
    answers = judged.answers(language)
    samples = [s for s in judged.samples[language] if s.prompt["scorer"] == "judge"]
    items = judge_items(judged.judge_prompts(language, answers))
    for item, sample in zip(items, samples, strict=True):
        assert (item.sample_id, item.context) == (sample.id, answers[sample.id].text)
        assert sample.source["start"] in item.head and sample.prompt["instruction"] in item.head
        boundary = item.head.rstrip("\n").split("\n")[-1]
        assert item.tail.startswith(f"\n{boundary}\n") and boundary not in item.context
        assert item.reminder.startswith("\n\n") and item.max_tokens == 1024
        assert "{{" not in item.head + item.tail


@BOTH
def test_each_judge_prompt_has_a_request(language):
    judged = run(language=language, judge_prompts=("path", "last", "rating"))
    answers = judged.answers(language)
    sample = next(s for s in judged.samples[language] if s.id == f"{language}/style/1/3")
    prompts = [p for p in judged.judge_prompts(language, answers) if p.answer_id == sample.id]
    first_level = sample.source["levels"][0]["instruction"]
    expected = (
        # Each level's instruction contains those before it; only the path shows all levels.
        (language, sample.id, 3),
        (f"last_{language}", f"{sample.id}/last", 1),
        (f"rating_{language}", f"{sample.id}/rating", 1),
    )
    for prompt, (template, request_id, levels) in zip(prompts, expected, strict=True):
        (request,) = prompt.requests
        assert (prompt.template, request.id) == (template, request_id)
        assert prompt.answer == answers[sample.id].text
        assert sample.prompt["instruction"] in prompt.head
        assert prompt.head.count(first_level) == levels
        assert "{{" not in prompt.head + request.tail
    assert "YES" not in request.tail and "[[" in request.tail


def test_responses_that_rules_score_are_judged_by_the_first_prompt_alone():
    judged = JudgedRun("followbench", {"judge_prompts": ["last", "path"]}, rule_items=True)
    prompts = judged.judge_prompts("en", judged.answers("en"))
    templates = {}
    for prompt in prompts:
        templates.setdefault(prompt.answer_id, []).append(prompt.template)
    for sample in judged.samples["en"]:
        is_judged = sample.prompt["scorer"] == "judge"
        assert templates[sample.id] == (["last_en", "en"] if is_judged else ["last_en"])


def test_people_are_asked_about_each_constraint_up_to_the_level():
    sample = Sample("en", {"level": 2, "scorer": "judge"}, GROUP)
    assert [question.key for question in questions(sample)] == ["1", "2"]
    assert questions(sample)[1].text == "Constraint 2, which this version added: Begin, with 2."


def test_judge_prompt_is_the_same_with_and_without_others():
    answers = run().answers("en")
    prompts = run(judge_prompts=("rating", "last", "path")).judge_prompts("en", answers)
    assert [p for p in prompts if p.template == "en"] == run().judge_prompts("en", answers)


def test_readable_replies_have_the_requested_form():
    rated = {"count": 2, "highest": 10}
    assert readable(rated, "Good.\nRating: [[7]]", "An answer.")
    assert not readable(rated, "['YES', 'NO']", "An answer.")
    assert readable({"count": 2, "language": "en"}, "['YES', 'NO']", "An answer.")
    assert not readable({"count": 3, "language": "en"}, "['YES', 'NO']", "An answer.")


def simulated_rating(numbers: str, **settings) -> float | None:
    """The rating of a simulated response that keeps the constraints with these numbers of five."""
    request = JudgeRequest("en/style/1/3", "", {"count": 5, "highest": 10}, "", 1024)
    answer = f"Something.\n[simulated: kept {numbers}]"
    prompt = JudgePrompt("en/style/1/3", "en", "", answer, [request])
    reply = FollowbenchJudge().simulated(prompt, request, settings, random.Random(numbers))
    return strict_rating(reply, "")


def test_simulated_rating_is_above_five_only_if_all_constraints_are_kept():
    for numbers, rating in (("1, 2, 3, 4, 5", 10), ("1, 2, 3, 4", 4), ("2", 1), ("", 0)):
        assert simulated_rating(numbers) == rating
    assert None in [simulated_rating(str(n), slip=0.9) for n in range(40)]
