"""The config to share: with defaults, without what belongs to one machine."""

from pathlib import Path

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, check_portable, config_provenance, portable
from steadfast.config.source import read_source

CONFIGS = sorted((Path(__file__).parents[2] / "config").glob("*.yaml"))


def portable_vllm(**settings):
    """The portable config of a vLLM model, and the model's settings in it."""
    model = {"engine": "vllm", "model": "org/name", "window": 4096, **settings}
    pathvars = {"results": "/scratch/me/results"}
    shared = portable(load_config({"models": {"tuned": model}, "pathvars": pathvars}))
    return shared, shared["models"]["tuned"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_portable_config_can_be_loaded_again(path):
    first = portable(load_config(read_source(path)))
    check_portable(first)
    assert portable(load_config(yaml.safe_load(as_yaml(first)))) == first


def test_defaults_are_written():
    shared = portable(load_config({"models": {"r": {"engine": "reference"}}}))
    assert shared["seed"] == 1 and shared["models"]["r"]["repeats"] == 1


def test_absolute_paths_keep_their_last_name():
    shared, model = portable_vllm(
        model="/scratch/me/checkpoints/step-9/",
        tokenizer="~/tokenizers/mine",
        engine_args={"speculative_config": {"model": "/scratch/me/draft"}},
        engine_operation_args={"download_dir": "/scratch/me/hub"},
        system="/no_think",
    )
    assert (model["model"], model["tokenizer"], model["system"]) == ("step-9", "mine", "/no_think")
    assert model["engine_args"] == {"speculative_config": {"model": "draft"}}
    assert "/scratch" not in as_yaml(shared) and "pathvars" not in shared


def test_paths_to_parent_folders_keep_their_last_name():
    _, model = portable_vllm(model="../checkpoints/step-9", tokenizer="..")
    assert (model["model"], model["tokenizer"]) == ("step-9", "")


def test_addresses_commands_and_variables_are_removed():
    openai = {"engine": "openai", "model": "m"}
    api = openai | {"base_url": "https://gpu7.example.org/v1", "api_key_env": "MY_KEY"}
    models = {
        "api": api,
        "served": openai | {"serve": ["serve", "{port}"], "serve_operation_args": ["--gpu-7"]},
        "vllm": {"engine": "vllm", "model": "m", "window": 4096, "python": "/opt/python"},
    }
    shared = portable(load_config({"models": models, "judges": {"j": api}}))
    for word in ("example.org", "MY_KEY", "{port}", "--gpu-7", "python"):
        assert word not in as_yaml(shared), word
    assert shared["models"]["api"]["api_key_env"] is None  # by default it would be OpenAI's
    check_portable(shared)
    for name, model in models.items():
        with pytest.raises(UserError, match=f"config: models.{name}.*a shared config must not"):
            check_portable({"models": {name: model}})


def test_prose_may_begin_like_a_path():
    check_portable(
        {"models": {"tuned": {"engine": "vllm", "system": "/no_think", "label": "../A"}}}
    )


@pytest.mark.parametrize("path", ["/a/set", "../a/set", "a/../../set", "~/set", "..\\set", "C:\\a"])
@pytest.mark.parametrize("name", ["label", "template"])
def test_path_is_refused_in_a_data_set_named_like_a_prose_key(name, path):
    def check(path):
        check_portable({"datasets": {name: {"path": path, "template": "/no_think {{prompt}}"}}})

    with pytest.raises(UserError, match=f"config: datasets.{name}.path: a shared config"):
        check(path)
    check("a/set")


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
def test_settings_that_send_keys_or_run_programs_are_refused(kind, settings, key):
    with pytest.raises(UserError, match=f"config: {kind}.m.{key}: a shared config must not run"):
        check_portable({kind: {"m": {"model": "m", **settings}}})


def test_pathvars_are_refused():
    with pytest.raises(UserError, match="config: pathvars: a shared config"):
        check_portable({"pathvars": {"results": "made"}})


def test_provenance_of_the_config_names_the_metrics_that_exist(tmp_path):
    metrics = tmp_path / "cfbench/metrics/provenance.json"
    metrics.parent.mkdir(parents=True)
    metrics.write_text("{}")
    provenance = config_provenance(tmp_path, ["lifbench", "cfbench"])
    assert provenance.files == (tmp_path / "config.yaml",) and provenance.inputs == (metrics,)
