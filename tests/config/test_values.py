"""Invalid values at every key that takes their type: each is refused in one sentence."""

import copy
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from steadfast.base.errors import UserError
from steadfast.config.load import config_model, load_config
from steadfast.schema.models import ModelSettings
from steadfast.schema.strict import tag

ENGINES = [tag(kind)[1] for kind in get_args(get_args(ModelSettings)[0])]
MODELS: dict[str, dict[str, Any]] = {
    "sim-x" if engine == "simulated" else engine: {"engine": engine} for engine in ENGINES
}
MODELS["openai"] |= {
    "model": "m",
    "reasoning": {"parser": "qwen3", "tokens": 9},
    "throughput": {"prefill": 1.0, "decode": 2.0},
    "price": {"input": 1.0, "output": 2.0},
}
MODELS["anthropic"] |= {"model": "m"}
MODELS["gemini"] |= {"model": "m"}
MODELS["vllm"] |= {"model": "m", "window": 4096}
MODELS["replay"] |= {"file": "answers.jsonl"}
FULL: dict[str, Any] = {
    "benchmarks": ["lifbench"],
    "models": MODELS,
    "rewriters": {"r": {"engine": "openai", "model": "m"}},
    "corpora": {
        "local": {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}},
        "hub": {"xsum": {"repo": "a/b", "revision": "a" * 40, "fields": {"text": "body"}}},
    },
    "power_analysis": [0.05],
}
VERBATIM = {"system", "serve", "serve_operation_args", "tags"}


def alternatives(kind):
    """The plain types that a value may have."""
    if get_origin(kind) is Annotated:
        return alternatives(get_args(kind)[0])
    parts = get_args(kind)
    is_union = get_origin(kind) is None and any(isinstance(part, type) for part in parts)
    if type(None) not in parts and not is_union:
        return [kind]
    types = []
    for part in parts:
        types += alternatives(part)
    return types


def keys(value, position=()):
    """The position and type of each key of a loaded section, or of the sections in a mapping."""
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield (*position, name), field.annotation
            yield from keys(getattr(value, name), (*position, name))
    elif isinstance(value, dict):
        for name, section in value.items():
            yield from keys(section, (*position, name))


KEYS = dict(keys(config_model().model_validate(FULL)))


def positions_of(kind):
    """The positions of the keys that take values of a type."""
    positions = [position for position, types in KEYS.items() if kind in alternatives(types)]
    return [position for position in positions if position[-1] not in VERBATIM]


def complaint(position, value):
    config = copy.deepcopy(FULL)
    parent = config
    for key in position[:-1]:
        parent = parent.setdefault(key, {})
    parent[position[-1]] = value
    with pytest.raises(UserError) as caught:
        load_config(config)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 600
    return message


def test_keys_of_every_section_are_walked():
    load_config(FULL)
    texts = positions_of(str)
    assert {("models", "openai", "model"), ("corpora", "hub", "xsum", "repo")} <= set(texts)
    assert ("models", "openai", "price", "input") in positions_of(float)
    assert len(texts) > 50 and len(positions_of(float)) > 40 and len(positions_of(int)) > 50


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (str, ["", "\u200b", "a\nb", "x" * 256]),  # blank, two lines, too long for a file name
        (float, [1e-320, 1e300, float("nan"), float("-inf"), -1.0]),
        (int, [-1, 2**62]),
        (list[str], [["r", "r"]]),  # a duplicate
    ],
)
def test_invalid_value_is_refused_at_every_key(kind, values):
    for position in positions_of(kind):
        if position[-1] != "seed":
            for value in values:
                assert position[-1] in complaint(position, value), (position, value)


@pytest.mark.parametrize("text", ["", "One.\nTwo."])
def test_system_message_may_be_empty_or_have_lines(text):
    model = {"engine": "openai", "model": "m", "system": text}
    config = load_config({"benchmarks": ["lifbench"], "models": {"m": model}})
    assert config.models["m"].system == text


def test_blank_reasoning_tag_is_refused():
    reasoning = {"tags": [" ", "</think>"], "tokens": 9}
    assert "a tag is empty" in complaint(("models", "openai", "reasoning"), reasoning)


def test_api_key_written_as_variable_name_is_not_shown():
    message = complaint(("models", "openai", "api_key_env"), "sk-1234567890abcdef")
    assert "not a valid name of an environment variable" in message and "sk-" not in message


def test_labels_of_running_models_must_differ():
    models = {name: {"engine": "openai", "model": name, "label": "GPT"} for name in "ab"}
    raw = {"benchmarks": ["lifbench"], "models": models}
    with pytest.raises(UserError, match="'a' and 'b' have the same label 'GPT'"):
        load_config(raw)
    assert load_config({**raw, "only": ["b"]}).running == ["b"]
