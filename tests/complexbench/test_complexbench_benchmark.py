"""ComplexBench's surface: what a config asks of it, and all of it from data to figures."""

import pytest

from complexbench_run import task
from steadfast.base.errors import UserError


def test_files_that_the_config_names_are_known_by_their_keys():
    section = {"source": "local", "directory": "here", "extra": "mine.json"}
    found = task(section | {"labels": "people.jsonl", "templates": {"judge_zh": "own.txt"}})
    assert sorted(found.files) == [
        ("complexbench.directory", "here"),
        ("complexbench.directory", "here/data_final.json"),
        ("complexbench.extra", "mine.json"),
        ("complexbench.labels", "people.jsonl"),
        ("complexbench.templates.judge_zh", "own.txt"),
    ]


def test_parts_templates_and_tables_follow_the_config():
    found = task({"languages": ["en", "zh"], "decomposition": True})
    assert list(found.parts) == ["en", "en-decomposed", "zh", "zh-decomposed"]
    sources = found.parts["en-decomposed"].sources
    assert sources == {("data", "en"): "complexbench/data/en.jsonl"}
    assert list(task({"judging": "plain"}).judging.templates) == ["judge_zh"]
    own = task({"templates": {"judge_zh": "mine.txt"}}).judging
    assert own.templates["judge_zh"] == "mine.txt"
    assert "complexbench/judge/judge_zh.txt" not in own.prompts.resources
    with pytest.raises(UserError, match=r"complexbench\.templates: .* did you mean 'judge_zh'"):
        task({"templates": {"judge_hz": "mine.txt"}})
    turns = set(task({"decomposition": True}).tables.names)
    assert turns - set(task().tables.names) == {"complexbench_decomposition"}
