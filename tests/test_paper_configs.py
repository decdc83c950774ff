"""config/<benchmark>.yaml: the models and settings of the papers, and a run that can begin."""

import numpy as np
import pandas as pd
import pytest
import yaml

from judged_run import JudgedRun
from paper_config import PAPERS, dry_run
from released_files import released_folder
from steadfast.base.files import read_json
from steadfast.base.resources import facts
from steadfast.base.tokens import load_tokenizer
from steadfast.config.load import load_config
from steadfast.schema.config import Config

pytestmark = pytest.mark.wide

FRAME = 7
"""Tokens that a chat adds to a prompt."""


def text(name: str) -> str:
    return (PAPERS / f"{name}.yaml").read_text()


def config(name: str) -> Config:
    return load_config(yaml.safe_load(text(name)))


def tokens(texts) -> list[int]:
    return list(map(load_tokenizer("cl100k_base").count, texts))


@pytest.mark.parametrize(
    ("name", "temperature"), [("followbench", 0.0), ("cfbench", None), ("complexbench", 0.0)]
)
def test_data_mode_and_temperatures_are_those_of_the_paper(name, temperature):
    paper = config(name)
    section = getattr(paper, name)
    assert (section.source, paper.judging.mode) == ("released", "released")
    assert {model.temperature for model in paper.models.values()} == {temperature}
    assert {judge.temperature for judge in paper.judges.values()} == {0.0}


def test_followbench_has_the_models_of_the_paper():
    labels = [model.label for model in config("followbench").models.values()]
    assert labels == list(facts("followbench/printed.yaml")["levels"]["overall"])


def test_cfbench_has_the_models_of_the_paper_except_four():
    models = config("cfbench").models.values()
    labels = {model.label for model in models}
    assert len(labels) == len(models) == 46
    absent = {"Conifer-Base", "Conifer-Test", "Llama-3-8B-Instruct-CN", "Llama-3-70B-Instruct-CN"}
    assert labels | absent == set(facts("cfbench/printed.yaml")["results"])
    assert not labels & absent
    assert all(name in text("cfbench") for name in absent)
    assert {model.label for model in models if model.template == "base"} == {
        "Qwen1.5-4B", "Qwen1.5-7B", "Qwen1.5-14B", "Qwen1.5-32B", "Qwen1.5-72B",
        "Qwen2-7B", "Qwen2-72B",
    }  # fmt: skip


def test_complexbench_has_the_models_with_released_responses():
    paper = config("complexbench")
    assert set(paper.models) == {
        "baichuan2_13b", "chatglm3_6b", "claude3_opus", "erniebot_4", "glm4",
        "gpt3.5_turbo_1106", "gpt4_1106", "internlm2_7b", "internlm2_20b", "llama3_8b",
        "llama3_70b", "mistral_7b", "qwen1.5_7b", "qwen1.5_14b", "qwen1.5_72b",
    }  # fmt: skip
    (judge,) = paper.judges.values()
    assert judge.model == "gpt-4-1106-preview"
    assert (paper.complexbench.languages, paper.complexbench.judging) == (["zh"], "rules")


def test_followbench_config_counts_prompts_beyond_a_window_of_4096():
    section = {"source": "local", "directory": str(released_folder("followbench", "data"))}
    judged = JudgedRun("followbench", section | {"languages": ["en"]})
    prompts = [sample.prompt for sample in judged.samples["en"]]
    assert {prompt["max_tokens"] for prompt in prompts} == {2048}
    rows = pd.DataFrame(prompts)
    rows["tokens"] = np.array(tokens(rows["instruction"])) + FRAME + 2048
    long = rows[rows["tokens"] > 4096]
    assert f"{len(long)} of the {len(rows)} prompts" in text("followbench")
    assert set(long["task"]) == {"example"} and rows["tokens"].max() < 8192


def test_cfbench_has_seven_prompts_beyond_8192_tokens():
    records = read_json(released_folder("cfbench", "data") / "cfbench_data.json")
    lengths = tokens(record["prompt"] for record in records)
    assert sum(length > 8192 for length in lengths) == 7
    assert lengths.count(0) == 1
    assert max(lengths) + FRAME + 2048 < 16385


def test_complexbench_config_has_the_length_of_the_longest_prompt():
    folder = released_folder("complexbench", "data")
    longest = max(tokens(row["instruction"] for row in read_json(folder / "instructions_zh.json")))
    assert f"has {longest:,} (of GPT-4's)" in text("complexbench")
    assert longest + FRAME + 4096 < 16385  # so that the windows of GPT-3.5 and more hold all


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("name", "models"), [("followbench", 10), ("cfbench", 46), ("complexbench", 15)]
)
def test_dry_run_needs_neither_network_nor_key(name, models, tmp_path):
    jobs = dry_run(PAPERS / f"{name}.yaml", tmp_path)
    assert (jobs["inference"], jobs["verdicts"], jobs["plan"]) == (models, models, 1)
