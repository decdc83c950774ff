"""FollowBench's surface: what a config asks of it."""

from steadfast.benchmarks.followbench.benchmark import FOLLOWBENCH
from steadfast.config.load import load_config
from steadfast.contract.task import Task


def task(settings=None, **more) -> Task:
    raw = {"benchmarks": ["followbench"], "models": {"m": {"engine": "reference"}}}
    raw["judges"] = {"ref": {"engine": "reference"}}
    return FOLLOWBENCH.of(load_config({**raw, "followbench": settings or {}, **more}))


def test_parts_templates_and_labels_follow_the_config():
    files = {"templates": {"zh": "mine.txt"}, "labels": "people.jsonl"}
    found = task({"languages": ["zh"], **files})
    assert list(found.parts) == ["zh"]
    assert found.parts["zh"].sources == {("data", "zh"): "followbench/data/zh.jsonl"}
    assert found.judging.templates == {"zh": "mine.txt"}
    assert found.judging.prompts.resources == ()
    assert found.labels == "people.jsonl"


def test_each_way_to_ask_has_templates_and_two_make_table_3():
    found = task({"languages": ["zh"], "judge_prompts": ["rating", "last"]})
    judge = "resource:followbench/judge/"
    assert found.judging.templates == {
        "rating_zh": f"{judge}rating_zh.txt",
        "last_zh": f"{judge}last_zh.txt",
    }
    assert found.judging.prompts.settings == {"ways": ["rating", "last"]}
    # Nobody saw the path, so that verdicts on single constraints do not compare.
    assert "followbench_table3_agreement" in found.tables.names
    assert "followbench_agreement" not in found.tables.names


SERVED = {"engine": "openai", "model": "m", "revision": "1"}
JUDGES = {"ref": {"engine": "reference"}, "judge": SERVED}


def test_models_that_differ_in_temperature_alone_are_a_line():
    models = {
        "cold": {**SERVED, "label": "Cold", "base_url": "http://localhost:8000/v1"},
        "warm": {**SERVED, "temperature": 0.7, "max_concurrency": 2},
        "hot": {**SERVED, "temperature": 1.0},
        "other": {**SERVED, "temperature": 1.0, "top_p": 0.9},
        "default": {**SERVED, "temperature": None},
        "alone": {**SERVED, "model": "n", "temperature": 0.5},
        "same": {**SERVED, "model": "n", "temperature": 0.5},
        "reference": {"engine": "reference"},
    }
    found = task(models=models, judges=JUDGES)
    lines = {"cold": ["cold", 0.0], "warm": ["cold", 0.7], "hot": ["cold", 1.0]}
    assert found.metrics.function.settings["temperatures"] == lines
    assert found.figures.names == ("by_category", "temperature")
    # without two temperatures there is no such figure
    models = {"m": SERVED, "n": {**SERVED, "temperature": 0.7}}
    for changes in ({}, {"models": {"m": SERVED}}, {"models": models, "only": ["m"]}):
        found = task(judges=JUDGES, **changes)
        assert found.figures.names == ("by_category",)
        assert found.metrics.function.settings["temperatures"] == {}
