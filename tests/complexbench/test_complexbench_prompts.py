"""Prompts: an instruction each, or turn by turn."""

import json

import pytest

from complexbench_instances import data_file
from complexbench_run import record, synthetic, turned
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.prompts import prompts


def prompts_of(part: str, records: list[dict]) -> list[dict]:
    return prompts(part, {"data": {part.partition("-")[0]: records}})


def test_instructions_are_asked_as_they_are_and_those_without_group_are_a_cluster():
    records = synthetic(40)
    found = prompts_of("zh", records)
    assert [prompt["sample_id"] for prompt in found] == [str(n) for n in range(40)]
    assert [prompt["instruction"] for prompt in found] == [row["instruction"] for row in records]
    assert [prompt["context_id"] for prompt in found] == [row["group"] for row in records]
    assert all("follows" not in prompt for prompt in found)
    assert [len(p["points"]) for p in found] == [len(row["scoring_questions"]) for row in records]
    (prompt,) = prompts_of("zh", [record(group=None)])
    assert prompt["context_id"] == "instance-0"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_turns_follow_each_other_and_share_out_the_questions(language, capsys):
    records = synthetic(40, language)
    found = prompts_of(f"{language}-decomposed", records)
    composed = [row for row in records if row["category"] != "And"]
    before = None
    for prompt in found:
        assert prompt["sample_id"] == f"{prompt['main_id']}/{prompt['turn']}"
        assert prompt["follows"] == (before["sample_id"] if prompt["turn"] else None)
        before = prompt
    for row in composed:
        own = [prompt for prompt in found if prompt["main_id"] == row["main_id"]]
        points = [point for prompt in own for point in prompt["points"]]
        assert points == list(range(len(row["scoring_questions"])))
        assert {prompt["context_id"] for prompt in own} == {row["group"]}
    assert {p["main_id"] for p in found} == {row["main_id"] for row in composed}
    assert f"{len(composed)} instances in turns; 0 with" in capsys.readouterr().out


def test_instances_without_turns_are_left_out_and_counted(capsys):
    two = turned({"dep": []}, {"dep": []})
    without = two | {"main_id": 1, "turns": []}
    found = prompts_of("zh-decomposed", [two, without])
    assert [prompt["sample_id"] for prompt in found] == ["0/0", "0/1"]
    assert "1 instances in turns; 1 with Chain or Selection" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"complexbench\.decomposition"):
        prompts_of("zh-decomposed", [without])


def test_all_published_instructions_go_through():
    published = json.loads(data_file("instructions_zh.json").read_text("utf-8"))
    assert len(published) == 1150
    found = prompts_of(
        "zh", [record(row["main_id"], instruction=row["instruction"]) for row in published]
    )
    assert [p["instruction"] for p in found] == [row["instruction"] for row in published]
    assert [p["sample_id"] for p in found] == [str(row["main_id"]) for row in published]
