"""config/cfbench.yaml: the models of Table 7 under the paper's names, and a run that can begin."""

import json

import pytest
import yaml

from cfbench_shared import data
from paper_config import PAPERS, dry_run
from steadfast.base.resources import facts
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.cfbench.facts import FILE
from steadfast.config.load import load_config

pytestmark = pytest.mark.wide

PATH = PAPERS / "cfbench.yaml"
LEFT_OUT = {"Conifer-Base", "Conifer-Test", "Llama-3-8B-Instruct-CN", "Llama-3-70B-Instruct-CN"}


@pytest.fixture(scope="module")
def config():
    return load_config(yaml.safe_load(PATH.read_text()))


def test_the_models_are_those_that_the_paper_prints_but_for_four_that_are_named(config):
    labels = {model.label for model in config.models.values()}
    assert len(labels) == len(config.models) == 46
    assert set(facts("cfbench/printed.yaml")["results"]) - labels == LEFT_OUT
    assert not labels - set(facts("cfbench/printed.yaml")["results"])
    assert all(name in PATH.read_text() for name in LEFT_OUT)


def test_settings_are_the_papers(config):
    assert {model.temperature for model in config.models.values()} == {None}
    (judge,) = config.judges.values()
    assert judge.temperature == 0.0
    assert (config.cfbench.source, config.judging.mode) == ("released", "released")
    base = {model.label for model in config.models.values() if model.template == "base"}
    assert base == {
        *(f"Qwen1.5-{size}" for size in ("4B", "7B", "14B", "32B", "72B")),
        *(f"Qwen2-{size}" for size in ("7B", "72B")),
    }


def test_long_prompts_are_as_many_as_the_file_says():
    count = load_tokenizer("cl100k_base").count
    lengths = [count(record["prompt"]) for record in json.loads((data() / FILE).read_text("utf-8"))]
    assert sum(length > 8192 for length in lengths) == 7
    assert lengths.count(0) == 1
    assert max(lengths) + 7 + 2048 < 16385


@pytest.mark.workflow
def test_its_dry_run_needs_no_network_and_no_key(tmp_path):
    jobs = dry_run(PATH, tmp_path)
    assert jobs["inference"] == jobs["verdicts"] == 46
    assert jobs["plan"] == 1
