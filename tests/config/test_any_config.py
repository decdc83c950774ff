"""Whatever a config holds, it is valid or wrong in one sentence: never a traceback."""

import copy
import datetime
import math
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
REASONING = {"tags": ["<think>", "</think>"], "tokens": 512}
WHOLE = yaml.safe_load((ROOT / "config/config.yaml").read_text())
WHOLE["models"] |= {
    "openai": {
        "engine": "openai",
        "model": "m",
        "extra_body": {"reasoning_effort": "low"},
        "max_tokens": {"LSI": 64},
        "price": {"input": 1.0, "output": 2.0},
        "throughput": {"prefill": 1.0, "decode": 2.0},
        "reasoning": REASONING,
    },
    "qwen": {"engine": "vllm", "model": "m", "window": 4096, "hf_overrides": {"a": [1]}},
    "claude": {"engine": "anthropic", "model": "m", "temperature": None},
    "flash": {"engine": "gemini", "model": "m", "effort": "low"},
    "old": {"engine": "replay", "file": "answers.jsonl", "fields": {"response": "answer"}},
    "paper": {"engine": "scored"},
}
WHOLE["corpora"] |= {"local": {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}}}
WHOLE["nondeterminism"] = {"requests": 10}
WHOLE["only"] = ["reference"]


def places(tree, place=()):
    """The place of every value of a tree, the whole's first."""
    yield place
    below = enumerate(tree) if isinstance(tree, list) else ()
    for step, value in tree.items() if isinstance(tree, dict) else below:
        yield from places(value, (*place, step))


KNOWN = sorted({str(step) for place in places(WHOLE) for step in place} | {*ENGINES, "[key]"})
TEXTS = st.sampled_from([*KNOWN, "", ".", "sim-x", "x" * 300, "a\nb", "\0", "\ud800"]) | st.text()
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
    """The whole config, in which up to four places are changed, lost, renamed or added to."""
    tree = copy.deepcopy(WHOLE)
    for _ in range(draw(st.integers(1, 4))):
        *above, last = draw(st.sampled_from(list(places(tree))[1:] or [("models",)]))
        parent = tree
        for step in above:
            parent = parent[step]
        change = draw(st.sampled_from(["replace", "lose", "rename", "add"]))
        if change == "replace" or not isinstance(parent, dict):
            parent[last] = draw(VALUES)
        elif change == "lose":
            parent.pop(last, None)
        elif change == "rename":
            parent[draw(KEYS)] = parent.pop(last, None)
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


def test_the_whole_config_is_valid():
    assert load_config(WHOLE).running == ["reference"]


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_mapping_is_valid_or_wrong_in_one_sentence(raw):
    assert isinstance(sentence_or_config(raw), str)


@given(configs())
def test_a_changed_config_is_plain_or_wrong_in_one_sentence(raw):
    config = sentence_or_config(raw)
    if not isinstance(config, str):
        dumped = config.model_dump(mode="json")
        assert yaml.safe_load(yaml.safe_dump(dumped)) == dumped


def test_a_value_that_holds_itself_is_refused():
    endless: list[object] = []
    endless.append(endless)
    raw = {"models": {"m": {"engine": "openai", "model": "m", "extra_body": {"a": endless}}}}
    assert "models.m.extra_body: nested deeper than 50 levels" in str(sentence_or_config(raw))
