"""The config with its defaults written back, without what is one machine's own."""

from pathlib import Path

import pytest
import yaml

from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, portable
from steadfast.config.source import read_source

CONFIGS = sorted((Path(__file__).parents[2] / "config").glob("*.yaml"))


def model(**settings):
    own = {"engine": "vllm", "model": "org/name", "window": 4096, **settings}
    return load_config({"models": {"own": own}, "pathvars": {"results": "/scratch/me/results"}})


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_it_is_a_config_again_and_says_the_same(path):
    first = portable(load_config(read_source(path)))
    assert portable(load_config(yaml.safe_load(as_yaml(first)))) == first


def test_defaults_are_written_back():
    found = portable(load_config({"models": {"r": {"engine": "reference"}}}))
    assert found["seed"] == 1 and found["models"]["r"]["draws"] == 1


def test_of_absolute_paths_the_last_name_remains():
    found = portable(
        model(
            model="/scratch/me/checkpoints/step-9/",
            tokenizer="~/tokenizers/mine",
            engine_args={"speculative_config": {"model": "/scratch/me/draft"}},
            engine_operation_args={"download_dir": "/scratch/me/hub"},
            system="/no_think",
        )
    )
    own = found["models"]["own"]
    assert (own["model"], own["tokenizer"], own["system"]) == ("step-9", "mine", "/no_think")
    assert own["engine_args"] == {"speculative_config": {"model": "draft"}}
    assert "/scratch" not in as_yaml(found) and "pathvars" not in found


def test_no_address_of_a_server_remains():
    own = {"engine": "openai", "model": "m", "base_url": "https://me:secret@gpu7.example.org/v1"}
    text = as_yaml(portable(load_config({"models": {"own": own}})))
    assert "example.org" not in text and "secret" not in text
    assert "api_key_env: OPENAI_API_KEY" in text
