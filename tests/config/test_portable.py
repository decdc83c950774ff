"""The config with its defaults written back, without what is one machine's own."""

from pathlib import Path

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, check_portable, portable
from steadfast.config.source import read_source

CONFIGS = sorted((Path(__file__).parents[2] / "config").glob("*.yaml"))


def model(**settings):
    own = {"engine": "vllm", "model": "org/name", "window": 4096, **settings}
    return load_config({"models": {"own": own}, "pathvars": {"results": "/scratch/me/results"}})


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_it_is_a_config_again_and_says_the_same(path):
    first = portable(load_config(read_source(path)))
    check_portable(first)
    assert portable(load_config(yaml.safe_load(as_yaml(first)))) == first


def test_defaults_are_written_back():
    found = portable(load_config({"models": {"r": {"engine": "reference"}}}))
    assert found["seed"] == 1 and found["models"]["r"]["repeats"] == 1


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


def test_of_paths_above_the_last_name_remains():
    own = portable(model(model="../checkpoints/step-9", tokenizer=".."))["models"]["own"]
    assert (own["model"], own["tokenizer"]) == ("step-9", "")


OPENAI = {"engine": "openai", "model": "m"}


def test_no_address_command_or_variable_remains():
    api = OPENAI | {"base_url": "https://gpu7.example.org/v1", "api_key_env": "MY_KEY"}
    served = OPENAI | {"serve": ["serve", "{port}"], "serve_operation_args": ["--gpu-7"]}
    vllm = {"engine": "vllm", "model": "m", "window": 4096, "python": "/opt/python"}
    raw = {"models": {"api": api, "served": served, "vllm": vllm}, "judges": {"j": api}}
    found = portable(load_config(raw))
    for word in ("example.org", "MY_KEY", "{port}", "--gpu-7", "python"):
        assert word not in as_yaml(found), word
    assert found["models"]["api"]["api_key_env"] is None  # by default it would be OpenAI's
    check_portable(found)
    for place in ("api", "served", "vllm"):
        with pytest.raises(UserError, match=f"config: models.{place}.*a shared config must not"):
            check_portable({"models": {place: raw["models"][place]}})


def test_a_text_that_begins_like_a_path_is_prose_where_the_key_says_so():
    check_portable({"models": {"own": {"engine": "vllm", "system": "/no_think", "label": "../A"}}})


@pytest.mark.parametrize("path", ["/a/set", "../a/set", "a/../../set", "~/set", "..\\set", "C:\\a"])
@pytest.mark.parametrize("name", ["label", "template"])
def test_a_path_stays_one_under_whatever_name_of_the_user_s(name, path):
    with pytest.raises(UserError, match=f"config: datasets.{name}.path: a shared config"):
        check_portable({"datasets": {name: {"path": path, "template": "/no_think {{prompt}}"}}})
    check_portable({"datasets": {name: {"path": "a/set", "template": "/no_think {{prompt}}"}}})


@pytest.mark.parametrize("kind", ["models", "judges", "rewriters"])
@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"engine": "openai", "api_key_env": "HOME"}, "api_key_env"),
        ({"engine": "anthropic"}, "api_key_env"),  # by default it sends one
        ({"engine": "openai", "api_key_env": None, "serve": ["sh"]}, "serve"),
        ({"engine": "vllm", "engine_operation_args": {"a": 1}}, "engine_operation_args"),
    ],
)
def test_what_sends_a_key_or_runs_a_program_is_refused(kind, settings, key):
    with pytest.raises(UserError, match=f"config: {kind}.m.{key}: a shared config must not run"):
        check_portable({kind: {"m": {"model": "m", **settings}}})


def test_where_files_are_written_is_not_for_a_config_that_travels_to_say():
    with pytest.raises(UserError, match="config: pathvars: a shared config"):
        check_portable({"pathvars": {"results": "made"}})
