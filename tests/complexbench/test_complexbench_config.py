"""config/complexbench.yaml: the paper's models under the release's names, and a run that begins."""

import json

import pytest
import yaml

from complexbench_instances import data_file
from paper_config import PAPERS, dry_run
from steadfast.base.tokens import load_tokenizer
from steadfast.config.load import load_config

pytestmark = pytest.mark.wide

PATH = PAPERS / "complexbench.yaml"
RELEASED = {
    *("baichuan2_13b", "chatglm3_6b", "claude3_opus", "erniebot_4", "glm4", "gpt3.5_turbo_1106"),
    *("gpt4_1106", "internlm2_7b", "internlm2_20b", "llama3_8b", "llama3_70b", "mistral_7b"),
    *("qwen1.5_7b", "qwen1.5_14b", "qwen1.5_72b"),
}


@pytest.fixture(scope="module")
def config():
    return load_config(yaml.safe_load(PATH.read_text()))


def test_the_models_are_those_whose_answers_were_released(config):
    assert set(config.models) == RELEASED
    assert {model.temperature for model in config.models.values()} == {0.0}
    (judge,) = config.judges.values()
    assert (judge.model, judge.temperature) == ("gpt-4-1106-preview", 0.0)
    section = config.complexbench
    assert (section.source, section.languages, section.judging) == ("released", ["zh"], "rules")
    assert config.judging.mode == "released"


def test_the_longest_prompt_is_as_long_as_the_file_says():
    count = load_tokenizer("cl100k_base").count
    instructions = json.loads(data_file("instructions_zh.json").read_text("utf-8"))
    longest = max(count(one["instruction"]) for one in instructions)
    assert f"has {longest:,} (of GPT-4's)" in PATH.read_text()
    assert longest + 7 + 4096 < 16385  # so that the windows of GPT-3.5 and more hold all


@pytest.mark.workflow
def test_its_dry_run_needs_no_network_and_no_key(tmp_path):
    jobs = dry_run(PATH, tmp_path)
    assert jobs["inference"] == jobs["verdicts"] == 15
    assert jobs["plan"] == 1
