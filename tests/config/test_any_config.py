"""Any config is valid, or refused in one sentence: never a traceback."""

import copy
import datetime
import math
from itertools import chain
from pathlib import Path
from typing import Annotated, get_args, get_origin

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from steadfast.base.errors import UserError
from steadfast.config.load import config_model, load_config
from steadfast.schema.models import ModelSettings
from steadfast.schema.strict import tag

ENGINES = [tag(kind)[1] for kind in get_args(get_args(ModelSettings)[0])]
ROOT = Path(__file__).parents[2]
FULL = yaml.safe_load((ROOT / "config/config.yaml").read_text())
FULL["models"] |= {
    "openai": {
        "engine": "openai",
        "model": "m",
        "extra_body": {"reasoning_effort": "low"},
        "max_tokens": {"LSI": 64},
        "price": {"input": 1.0, "output": 2.0},
        "throughput": {"prefill": 1.0, "decode": 2.0},
        "reasoning": {"tags": ["<think>", "</think>"], "tokens": 512},
    },
    "qwen": {"engine": "vllm", "model": "m", "window": 4096, "hf_overrides": {"a": [1]}},
    "claude": {"engine": "anthropic", "model": "m", "temperature": None},
    "flash": {"engine": "gemini", "model": "m", "effort": "low"},
    "old": {"engine": "replay", "file": "answers.jsonl", "fields": {"response": "answer"}},
    "paper": {"engine": "scored"},
}
FULL["rewriters"] = {"r": {"engine": "openai", "model": "m"}}
FULL["corpora"] |= {
    "local": {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}},
    "hub": {"xsum": {"repo": "a/b", "revision": "a" * 40, "fields": {"text": "body"}}},
}
FULL["power_analysis"] = [0.05]
FULL["nondeterminism"] = {"requests": 10}
FULL["only"] = ["reference"]


def positions(tree, position=()):
    """The keys that lead to each value of a tree, beginning with the tree itself."""
    yield position
    children = enumerate(tree) if isinstance(tree, list) else ()
    for key, value in tree.items() if isinstance(tree, dict) else children:
        yield from positions(value, (*position, key))


WORDS = sorted({str(key) for key in chain(*positions(FULL))} | {*ENGINES, "[key]"})
TEXTS = st.sampled_from([*WORDS, "", ".", "sim-x", "x" * 300, "a\nb", "\0", "\ud800"]) | st.text()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, math.inf, math.nan, 1e308, 5e-324])
    | st.floats()
    | TEXTS
    | st.dates()
    | st.sampled_from([datetime.datetime(2024, 1, 1), b"\xff", (), frozenset(), {1}])
)
KEYS = TEXTS | st.none() | st.booleans() | st.integers() | st.dates()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def configs(draw):
    """The full config with up to four values replaced, removed, renamed or added."""
    tree = copy.deepcopy(FULL)
    for _ in range(draw(st.integers(1, 4))):
        *parents, key = draw(st.sampled_from(list(positions(tree))[1:] or [("models",)]))
        parent = tree
        for step in parents:
            parent = parent[step]
        change = draw(st.sampled_from(["replace", "remove", "rename", "add"]))
        if change == "replace" or not isinstance(parent, dict):
            parent[key] = draw(VALUES)
        elif change == "remove":
            parent.pop(key, None)
        elif change == "rename":
            parent[draw(KEYS)] = parent.pop(key, None)
        else:
            parent[draw(KEYS)] = draw(VALUES)
    return tree


def sentence_or_config(raw):
    try:
        return load_config(raw)
    except UserError as error:
        assert len(str(error).splitlines()) == 1
        assert str(error).encode()
        return str(error)


def test_full_config_is_valid():
    assert load_config(FULL).running == ["reference"]


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_random_mapping_is_refused_in_one_sentence(raw):
    assert isinstance(sentence_or_config(raw), str)


@given(configs())
def test_mutated_config_is_plain_or_refused_in_one_sentence(raw):
    config = sentence_or_config(raw)
    if not isinstance(config, str):
        dumped = config.model_dump(mode="json")
        assert yaml.safe_load(yaml.safe_dump(dumped)) == dumped


def test_recursive_value_is_refused():
    endless: list[object] = []
    endless.append(endless)
    raw = {"models": {"m": {"engine": "openai", "model": "m", "extra_body": {"a": endless}}}}
    assert "models.m.extra_body: nested deeper than 50 levels" in str(sentence_or_config(raw))


# --- invalid values at every key that takes their type ------------------------------------------

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


def fields(value, position=()):
    """The position and type of each key of a loaded section, or of the sections in a mapping."""
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield (*position, name), field.annotation
            yield from fields(getattr(value, name), (*position, name))
    elif isinstance(value, dict):
        for name, section in value.items():
            yield from fields(section, (*position, name))


FIELDS = dict(fields(config_model().model_validate(FULL)))


def positions_of(kind):
    """The positions of the keys that take values of a type."""
    positions = [position for position, types in FIELDS.items() if kind in alternatives(types)]
    return [position for position in positions if position[-1] not in VERBATIM]


def error_message(position, value):
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
                assert position[-1] in error_message(position, value), (position, value)


@pytest.mark.parametrize(
    ("longest", "longer", "limit"),
    [("é" * 127 + "x", "é" * 128, "256 bytes, more than 255"),
     ("x/" * 999 + "xx", "x/" * 1000 + "x", "2,001 bytes, more than 2,000")],
)  # fmt: skip
def test_text_that_may_become_a_path_has_limits_in_bytes(longest, longer, limit):
    assert load_config({"models": {"m": {"engine": "openai", "model": longest}}})
    assert limit in error_message(("models", "openai", "model"), longer)


@pytest.mark.parametrize("text", ["", "One.\nTwo."])
def test_system_message_may_be_empty_or_have_lines(text):
    model = {"engine": "openai", "model": "m", "system": text}
    config = load_config({"benchmarks": ["lifbench"], "models": {"m": model}})
    assert config.models["m"].system == text


def test_blank_reasoning_tag_is_refused():
    reasoning = {"tags": [" ", "</think>"], "tokens": 9}
    assert "a tag is empty" in error_message(("models", "openai", "reasoning"), reasoning)


def test_api_key_written_as_variable_name_is_not_shown():
    message = error_message(("models", "openai", "api_key_env"), "sk-1234567890abcdef")
    assert "not a valid name of an environment variable" in message and "sk-" not in message


def test_labels_of_running_models_must_differ():
    models = {name: {"engine": "openai", "model": name, "label": "GPT"} for name in "ab"}
    raw = {"benchmarks": ["lifbench"], "models": models}
    with pytest.raises(UserError, match="'a' and 'b' have the same label 'GPT'"):
        load_config(raw)
    assert load_config({**raw, "only": ["b"]}).running == ["b"]
