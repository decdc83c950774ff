"""Values that make no sense at whatever key: each is one sentence, found by walking the schema."""

import copy
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from steadfast.base.errors import UserError
from steadfast.config.load import config_model, load_config
from steadfast.schema.models import ModelSettings
from steadfast.schema.strict import tag

ENGINES = [tag(kind)[1] for kind in get_args(get_args(ModelSettings)[0])]
OF_ENGINE: dict[str, dict[str, Any]] = {
    "openai": {
        "model": "m",
        "reasoning": {"parser": "qwen3", "tokens": 9},
        "throughput": {"prefill": 1.0, "decode": 2.0},
        "price": {"input": 1.0, "output": 2.0},
    },
    "anthropic": {"model": "m"},
    "gemini": {"model": "m"},
    "vllm": {"model": "m", "window": 4096},
    "replay": {"file": "answers.jsonl"},
}
WHOLE: dict[str, Any] = {
    "benchmarks": ["lifbench"],
    "models": {
        "sim-x" if engine == "simulated" else engine: {
            "engine": engine,
            **OF_ENGINE.get(engine, {}),
        }
        for engine in ENGINES
    },
    "rewriters": {"r": {"engine": "openai", "model": "m"}},
    "corpora": {
        "local": {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}},
        "hub": {"xsum": {"repo": "a/b", "revision": "a" * 40, "fields": {"text": "body"}}},
    },
    "power_analysis": [0.05],
}
VERBATIM = {"system", "serve", "serve_operation_args", "tags"}
LONG = "x" * 256


def alternatives(kind):
    """The plain types that a value may have."""
    if get_origin(kind) is Annotated:
        return alternatives(get_args(kind)[0])
    parts = get_args(kind)
    if type(None) in parts or any(
        isinstance(part, type) for part in parts if get_origin(kind) is None
    ):
        return [one for part in parts for one in alternatives(part)]
    return [kind]


def keys(section, place=()):
    """The place and type of each key of a checked section."""
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        yield (*place, name), field.annotation
        yield from below(value, (*place, name))


def below(value, place):
    if isinstance(value, BaseModel):
        yield from keys(value, place)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from below(one, (*place, name))


KEYS = dict(keys(config_model().model_validate(WHOLE)))


def of_type(kind):
    """The places of the keys that take values of a type."""
    return [
        place
        for place, annotation in KEYS.items()
        if kind in alternatives(annotation) and place[-1] not in VERBATIM
    ]


def complaint(place, value):
    tree = copy.deepcopy(WHOLE)
    parent = tree
    for step in place[:-1]:
        parent = parent.setdefault(step, {})
    parent[place[-1]] = value
    with pytest.raises(UserError) as caught:
        load_config(tree)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 600
    return message


def test_the_walk_meets_keys_of_every_section():
    load_config(WHOLE)
    assert {("models", "openai", "model"), ("corpora", "hub", "xsum", "repo")} <= set(of_type(str))
    assert ("models", "openai", "price", "input") in of_type(float)
    assert len(of_type(str)) > 50 and len(of_type(float)) > 40 and len(of_type(int)) > 50


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (str, ["", "\u200b", "a\nb", LONG]),  # blank, of two lines, longer than a file's name
        (float, [1e-320, 1e300, float("nan"), float("-inf"), -1.0]),
        (int, [-1, 2**62]),
        (list[str], [["r", "r"]]),  # named twice
    ],
)
def test_a_value_that_makes_no_sense_is_refused_at_every_key(kind, values):
    for place in of_type(kind):
        if place[-1] != "seed":
            for value in values:
                assert place[-1] in complaint(place, value), (place, value)


def test_a_system_message_may_be_empty_and_of_many_lines():
    for text in ("", "One.\nTwo."):
        model = {"engine": "openai", "model": "m", "system": text}
        config = load_config({"benchmarks": ["lifbench"], "models": {"m": model}})
        assert config.models["m"].system == text


def test_blank_tags_of_reasoning_mark_nothing():
    reasoning = {"tags": [" ", "</think>"], "tokens": 9}
    assert "a tag is empty" in complaint(("models", "openai", "reasoning"), reasoning)


def test_a_key_in_place_of_its_variable_s_name_is_not_shown():
    message = complaint(("models", "openai", "api_key_env"), "sk-1234567890abcdef")
    assert "not a valid name of an environment variable" in message and "sk-" not in message


def test_models_that_run_are_told_apart_by_their_labels():
    models = {name: {"engine": "openai", "model": name, "label": "GPT"} for name in "ab"}
    raw = {"benchmarks": ["lifbench"], "models": models}
    with pytest.raises(UserError, match="'a' and 'b' have the same label 'GPT'"):
        load_config(raw)
    assert load_config({**raw, "only": ["b"]}).running == ["b"]
