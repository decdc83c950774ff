"""Prompts and parts: an instruction each, or turn by turn; and the task that a config gives."""

from itertools import chain

import pytest

from complexbench_run import decomposed_record, question, record, synthetic_records, task
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.prompts import prompts


def prompts_of(part: str, records: list[dict]) -> list[dict]:
    return prompts(part, {"data": {part.partition("-")[0]: records}})


def test_prompt_is_the_instruction_in_the_cluster_of_its_group():
    records = [*synthetic_records(40), record(40, group=None)]
    for number, (prompt, row) in enumerate(zip(prompts_of("zh", records), records, strict=True)):
        assert (prompt["sample_id"], prompt["instruction"]) == (str(number), row["instruction"])
        assert prompt["context_id"] == (row["group"] or "instance-40")
        assert len(prompt["points"]) == len(row["scoring_questions"])
        assert "follows" not in prompt and prompt["max_tokens"] == 4096


@pytest.mark.parametrize("language", ["zh", "en"])
def test_turns_follow_each_other_and_partition_the_questions(language, capsys):
    records = synthetic_records(40, language)
    by_instance = {}
    before = None
    for prompt in prompts_of(f"{language}-decomposed", records):
        turns = by_instance.setdefault(prompt["main_id"], [])
        assert (prompt["turn"], prompt["layers"]) == (len(turns), 1)
        assert prompt["sample_id"] == f"{prompt['main_id']}/{len(turns)}"
        assert prompt["follows"] == (before["sample_id"] if turns else None)
        before = prompt
        turns.append(prompt)
    composed = {row["main_id"]: row for row in records if row["category"] != "And"}
    assert by_instance.keys() == composed.keys()
    for number, turns in by_instance.items():
        points = list(chain.from_iterable(turn["points"] for turn in turns))
        assert points == list(range(len(composed[number]["scoring_questions"])))
        assert {turn["context_id"] for turn in turns} == {composed[number]["group"]}
    assert f"{len(composed)} instances in turns; 0 with" in capsys.readouterr().out


def test_instances_without_turns_are_skipped_and_counted(capsys):
    with_turns = decomposed_record(question(), question())
    without_turns = with_turns | {"main_id": 1, "turns": []}
    rows = prompts_of("zh-decomposed", [with_turns, without_turns])
    assert [prompt["sample_id"] for prompt in rows] == ["0/0", "0/1"]
    assert "1 instances in turns; 1 with Chain or Selection" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"complexbench\.decomposition"):
        prompts_of("zh-decomposed", [without_turns])


def test_files_of_the_config_are_listed_by_key():
    section = {"source": "local", "directory": "here", "extra": "mine.json"}
    section |= {"labels": "people.jsonl", "templates": {"judge_zh": "own.txt"}}
    assert sorted(task(section).files) == [
        ("complexbench.directory", "here"),
        ("complexbench.directory", "here/data_final.json"),
        ("complexbench.extra", "mine.json"),
        ("complexbench.labels", "people.jsonl"),
        ("complexbench.templates.judge_zh", "own.txt"),
    ]
    exported = task(section).exports.make().about().sources
    assert [source.name for source in exported] == ["instances", "instances added"]


def test_parts_and_tables_follow_the_config():
    decomposed = task({"languages": ["en", "zh"], "decomposition": True})
    assert list(decomposed.parts) == ["en", "en-decomposed", "zh", "zh-decomposed"]
    sources = decomposed.parts["en-decomposed"].sources
    assert sources == {("data", "en"): "complexbench/data/en.jsonl"}
    assert {part.tokens for part in decomposed.parts.values()} == {8192}
    tables = set(task({"decomposition": True}).tables.names)
    assert tables - set(task().tables.names) == {"complexbench_decomposition"}


def test_templates_follow_the_config():
    assert list(task({"judging": "plain"}).judging.templates) == ["judge_zh"]
    assert task(judging={"mode": "released"}).judging.attempts == 1  # any reply has a verdict
    judging = task({"templates": {"judge_zh": "mine.txt"}}).judging
    assert judging.templates["judge_zh"] == "mine.txt"
    assert "complexbench/judge/judge_zh.txt" not in judging.prompts.resources
