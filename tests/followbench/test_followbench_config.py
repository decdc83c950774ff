"""config/followbench.yaml: the paper's models under the paper's names, and a run that can begin."""

import pytest
import yaml

from followbench_run import run
from paper_config import PAPERS, dry_run
from steadfast.base.resources import facts
from steadfast.base.tokens import load_tokenizer
from steadfast.config.load import load_config

pytestmark = pytest.mark.wide

PATH = PAPERS / "followbench.yaml"


@pytest.fixture(scope="module")
def config():
    return load_config(yaml.safe_load(PATH.read_text()))


def test_the_models_are_those_that_the_paper_prints(config):
    labels = [model.label for model in config.models.values()]
    assert labels == list(facts("followbench/printed.yaml")["levels"]["overall"])
    assert {model.temperature for model in config.models.values()} == {0.0}
    assert (config.followbench.source, config.judging.mode) == ("released", "released")


def test_prompts_that_leave_no_room_for_the_answer_are_as_many_as_the_file_says():
    count = load_tokenizer("cl100k_base").count
    prompts = [sample.prompt for sample in run("local").samples["en"]]
    over = [p["task"] for p in prompts if count(p["instruction"]) + 7 + p["max_tokens"] > 4096]
    assert f"{len(over)} of the {len(prompts)} prompts" in PATH.read_text()
    assert set(over) == {"example"}
    assert max(count(p["instruction"]) + 7 + p["max_tokens"] for p in prompts) < 8192


@pytest.mark.workflow
def test_its_dry_run_needs_no_network_and_no_key(tmp_path):
    jobs = dry_run(PATH, tmp_path)
    assert jobs["inference"] == jobs["verdicts"] == 10
    assert jobs["plan"] == 1
