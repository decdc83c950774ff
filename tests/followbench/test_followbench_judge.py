"""Judge prompts: the whole path, the answer set apart, and what is expected of the reply."""

import random

import pytest

from followbench_run import ROOT, Run
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl
from steadfast.followbench import benchmark
from steadfast.followbench.facts import facts
from steadfast.followbench.judge import slots
from steadfast.followbench.readers import JudgeOracle
from steadfast.followbench.verdicts import strict
from steadfast.judging.requests import items

GROUP = {
    "category": "situation",
    "start": "Begin.",
    "levels": [{"instruction": f"Begin, with {n}."} for n in range(1, 6)],
}


def test_the_path_leads_from_the_start_to_the_level():
    filled = slots(GROUP, 2, facts("judge/words")["en"])
    lines = filled["path"].split("\n")
    assert [line for line in lines if line and not line.startswith("#")] == [
        "Begin.",
        "Begin, with 1.",
        "Begin, with 2.",
    ]
    assert [line for line in lines if line.startswith("#")][1:] == [
        "# Instruction with 1 constraint added",
        "# Instruction with 2 constraints added",
    ]
    assert filled["count"] == "2" and filled["constraints"] == "2 constraints"


def test_one_constraint_is_in_the_singular_and_each_category_is_named():
    words = facts("judge/words")
    assert slots(GROUP, 1, words["en"])["constraints"] == "1 constraint"
    kinds = {slots(GROUP | {"category": c}, 1, words["en"])["kind"] for c in words["en"]["kind"]}
    assert len(kinds) == 5
    assert "background" in slots(GROUP, 1, words["en"])["kind"]
    assert slots(GROUP | {"category": "mixed"}, 1, words["en"])["kind"] == "constraint"
    assert words["en"].keys() == words["zh"].keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_judged_answer_is_asked_about_once(tmp_path, language):
    run = Run(tmp_path, language=language)
    run.answer("m")
    run.judge("m", "judge")
    prompts = {p["sample_id"]: p for p in read_jsonl(run.prompts)}
    judged = [p["sample_id"] for p in prompts.values() if p["scorer"] == "judge"]
    asked = list(items(run.path("judging", "m")))
    assert [item.sample_id for item in asked] == judged
    groups = {group["context_id"]: group for group in read_jsonl(run.data)}
    for item in asked:
        prompt, answer = prompts[item.sample_id], item.context
        path = [groups[prompt["context_id"]]["start"], prompt["instruction"]]
        assert all(text in item.head for text in path)
        boundary = item.head.rstrip("\n").split("\n")[-1]
        assert item.tail.startswith(f"\n{boundary}\n") and boundary not in answer
        assert item.reminder.startswith("\n\n") and item.max_tokens == 1024
        assert "{{" not in item.head + item.tail


def test_what_is_not_answered_is_not_judged(tmp_path):
    run = Run(tmp_path)
    name = "en/style/1/1"
    run.answer("m", **{name: {"status": "refused", "text": ""}})
    run.judge("m", "judge")
    asked = [record["answer_id"] for record in read_jsonl(run.path("judging", "m"))]
    assert name not in asked and "en/style/1/2" in asked


def test_a_missing_output_is_named(tmp_path):
    run = Run(tmp_path)
    outputs = [o for o in run.answer("m") if o["sample_id"] != "en/style/1/3"]
    write_jsonl(run.path("outputs", "m"), outputs)
    with pytest.raises(UserError, match="no output for sample en/style/1/3"):
        run.judge("m", "judge")


def test_a_template_of_the_users_takes_the_place_of_ours(tmp_path):
    run = Run(tmp_path)
    run.template = tmp_path / "mine.txt"
    run.template.write_text("{{path}}\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{count}}!\n")
    run.answer("m")
    run.judge("m", "judge")
    (first, *_) = items(run.path("judging", "m"))
    assert first.tail.endswith("\n1!") and first.reminder == ""
    run.template.write_text("{{path}} {{answer}}")
    with pytest.raises(UserError, match=r"mine\.txt: the slot \{\{count\}\} is missing"):
        run.judge("m", "judge")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_our_templates_say_what_a_judge_must_be_told(language):
    text = (ROOT / f"resources/followbench/judge/{language}.txt").read_text("utf-8")
    assert text.count("{{answer}}") == 1 and text.count("{{boundary}}") == 3
    for slot in ("kind", "constraints", "path", "count"):
        assert f"{{{{{slot}}}}}" in text
    assert "'YES'" in text and "'NO'" in text and "Python" in text


def test_a_stand_in_judge_takes_an_answer_at_its_word(tmp_path):
    run = Run(tmp_path)
    run.answer("m", **{"en/style/1/3": {"text": "Something.\n[simulated: kept 1, 3]"}})
    run.answer("real", **{"en/style/1/3": {"text": "Something else."}})
    replies = {}
    for model in ("m", "real"):
        replies[model] = {r["sample_id"]: r["text"] for r in run.judge(model, "judge")}
    assert strict(replies["m"]["en/style/1/3"], "", 3) == [1, 0, 1]
    assert strict(replies["real"]["en/style/1/3"], "", 3) is None
    assert strict(replies["m"]["en/style/1/5"], "", 5) == [1] * 5


def test_a_simulated_judge_errs_and_is_not_always_readable(tmp_path):
    run = Run(tmp_path)
    run.answer("m")
    run.judge("m", "judge")
    oracle = JudgeOracle(run.path("judging", "m"))
    reader = {"slip": 0.4}

    def reply(n: int) -> str:
        return oracle.simulated("en/style/1/5", reader, 1.0, random.Random(n))

    found = [strict(reply(n), "", 5) for n in range(300)]
    assert 10 < found.count(None) < 60
    wrong = sum(verdicts.count(0) for verdicts in found if verdicts)
    assert 0.05 < wrong / (5 * 300) < 0.15
    assert [reply(n) for n in range(20)] == [reply(n) for n in range(20)]


def test_readable_is_the_strict_reading():
    assert benchmark.readable({"count": 2}, "['YES', 'NO']", "An answer.")
    assert not benchmark.readable({"count": 3}, "['YES', 'NO']", "An answer.")
