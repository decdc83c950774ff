"""config/<benchmark>.yaml: the paper's models under the paper's names, and a run that can begin."""

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
def test_data_mode_and_temperatures_are_the_papers(name, temperature):
    paper = config(name)
    section = getattr(paper, name)
    assert (section.source, paper.judging.mode) == ("released", "released")
    assert {model.temperature for model in paper.models.values()} == {temperature}
    assert {judge.temperature for judge in paper.judges.values()} == {0.0}


def test_followbenchs_models_are_those_that_the_paper_prints():
    labels = [model.label for model in config("followbench").models.values()]
    assert labels == list(facts("followbench/printed.yaml")["levels"]["overall"])


def test_cfbenchs_models_are_those_that_the_paper_prints_but_for_four_that_are_named():
    models = config("cfbench").models.values()
    labels = {model.label for model in models}
    assert len(labels) == len(models) == 46
    left_out = {"Conifer-Base", "Conifer-Test", "Llama-3-8B-Instruct-CN", "Llama-3-70B-Instruct-CN"}
    printed = set(facts("cfbench/printed.yaml")["results"])
    assert printed - labels == left_out and not labels - printed
    assert all(name in text("cfbench") for name in left_out)
    base = {*(f"Qwen1.5-{size}" for size in ("4B", "7B", "14B", "32B", "72B"))}
    base |= {"Qwen2-7B", "Qwen2-72B"}
    assert {model.label for model in models if model.template == "base"} == base


def test_complexbenchs_models_are_those_whose_answers_were_released():
    paper = config("complexbench")
    assert set(paper.models) == {
        *("baichuan2_13b", "chatglm3_6b", "claude3_opus", "erniebot_4", "glm4"),
        *("gpt3.5_turbo_1106", "gpt4_1106", "internlm2_7b", "internlm2_20b", "llama3_8b"),
        *("llama3_70b", "mistral_7b", "qwen1.5_7b", "qwen1.5_14b", "qwen1.5_72b"),
    }
    (judge,) = paper.judges.values()
    assert judge.model == "gpt-4-1106-preview"
    assert (paper.complexbench.languages, paper.complexbench.judging) == (["zh"], "rules")


def test_followbenchs_prompts_without_room_for_the_answer_are_as_many_as_the_file_says():
    section = {"source": "local", "directory": str(released_folder("followbench", "data"))}
    judged = JudgedRun("followbench", section | {"languages": ["en"]})
    prompts = [sample.prompt for sample in judged.samples["en"]]
    needed = [size + FRAME + 2048 for size in tokens(prompt["instruction"] for prompt in prompts)]
    over = [prompt["task"] for prompt, size in zip(prompts, needed, strict=True) if size > 4096]
    assert {prompt["max_tokens"] for prompt in prompts} == {2048}
    assert f"{len(over)} of the {len(prompts)} prompts" in text("followbench")
    assert set(over) == {"example"} and max(needed) < 8192


def test_cfbenchs_long_prompts_are_as_many_as_the_file_says():
    records = read_json(released_folder("cfbench", "data") / "cfbench_data.json")
    lengths = tokens(record["prompt"] for record in records)
    assert sum(length > 8192 for length in lengths) == 7
    assert lengths.count(0) == 1
    assert max(lengths) + FRAME + 2048 < 16385


def test_complexbenchs_longest_prompt_is_as_long_as_the_file_says():
    folder = released_folder("complexbench", "data")
    longest = max(tokens(row["instruction"] for row in read_json(folder / "instructions_zh.json")))
    assert f"has {longest:,} (of GPT-4's)" in text("complexbench")
    assert longest + FRAME + 4096 < 16385  # so that the windows of GPT-3.5 and more hold all


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("name", "models"), [("followbench", 10), ("cfbench", 46), ("complexbench", 15)]
)
def test_a_dry_run_needs_no_network_and_no_key(name, models, tmp_path):
    jobs = dry_run(PAPERS / f"{name}.yaml", tmp_path)
    assert (jobs["inference"], jobs["verdicts"], jobs["plan"]) == (models, models, 1)
