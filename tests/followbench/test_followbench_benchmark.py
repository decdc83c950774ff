"""The task that a config gives: parts, templates, tables and lines of temperatures."""

from steadfast.benchmarks.followbench.benchmark import FOLLOWBENCH
from steadfast.config.load import load_config
from steadfast.contract.task import Task

SERVED = {"engine": "openai", "model": "m", "revision": "1"}
WARM = {**SERVED, "temperature": 0.7}


def task(section=None, models=None, **config) -> Task:
    raw = {"benchmarks": ["followbench"], "followbench": section or {}, **config}
    raw["models"] = models or {"m": {"engine": "reference"}}
    raw["judges"] = {"judge": SERVED if models else {"engine": "reference"}}
    return FOLLOWBENCH.of(load_config(raw))


def test_parts_templates_and_labels_follow_the_config():
    files = {"templates": {"zh": "mine.txt"}, "labels": "people.jsonl"}
    chinese = task({"languages": ["zh"], **files})
    assert list(chinese.parts) == ["zh"]
    assert chinese.parts["zh"].sources == {("data", "zh"): "followbench/data/zh.jsonl"}
    assert chinese.judging.templates == {"zh": "mine.txt"}
    assert chinese.judging.prompts.resources == ()
    assert chinese.labels == "people.jsonl"
    assert chinese.parts["zh"].tokens == 4096
    assert task(judging={"mode": "released"}).judging.attempts == 1  # the user repairs replies


def test_each_judge_prompt_has_templates_and_two_give_table_3():
    chinese = task({"languages": ["zh"], "judge_prompts": ["rating", "last"]})
    folder = "resource:followbench/judge"
    templates = {"rating_zh": f"{folder}/rating_zh.txt", "last_zh": f"{folder}/last_zh.txt"}
    assert chinese.judging.templates == templates
    assert chinese.judging.prompts.settings == {"judge_prompts": ["rating", "last"]}
    # Without the path, verdicts on single constraints cannot be compared.
    assert "followbench_table3_agreement" in chinese.tables.names
    assert "followbench_agreement" not in chinese.tables.names


def test_models_that_differ_only_in_temperature_form_a_line():
    models = {
        "cold": {**SERVED, "label": "Cold", "base_url": "http://localhost:8000/v1"},
        "warm": {**WARM, "max_concurrency": 2},
        "hot": {**SERVED, "temperature": 1.0},
        "other": {**SERVED, "temperature": 1.0, "top_p": 0.9},
        "default": {**SERVED, "temperature": None},
        "alone": {**SERVED, "model": "n", "temperature": 0.5},
        "same": {**SERVED, "model": "n", "temperature": 0.5},
        "reference": {"engine": "reference"},
    }
    followbench = task(models=models)
    line = {"cold": ["cold", 0.0], "warm": ["cold", 0.7], "hot": ["cold", 1.0]}
    assert followbench.metrics.function.settings["temperatures"] == line
    assert followbench.figures.names == ("by_category", "temperature")


def test_one_temperature_gives_no_figure():
    one_of_two = {"models": {"m": SERVED, "n": WARM}, "only": ["m"]}
    for config in ({}, {"models": {"m": SERVED}}, one_of_two):
        followbench = task(**config)
        assert followbench.figures.names == ("by_category",)
        assert followbench.metrics.function.settings["temperatures"] == {}
