"""Any config is valid, or refused in one sentence: never a traceback."""

import copy
import datetime
import math
from itertools import chain
from pathlib import Path
from typing import get_args

import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
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
FULL["corpora"] |= {"local": {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}}}
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
