"""A config file as it is written: a duplicate key is named with both its lines."""

import json
from functools import partial

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.config import source
from steadfast.config.source import check_source, typed


def error_message(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError) as caught:
        check_source(path)
    return str(caught.value).replace(str(path), "FILE")


@pytest.mark.parametrize(
    ("text", "key", "first", "second"),
    [
        ("seed: 1\nonly: []\nseed: 2\n", "seed", 1, 3),
        ("models:\n  a:\n    engine: openai\n    engine: vllm\n", "models.a.engine", 3, 4),
        ("models: {a: {engine: openai}, a: {engine: vllm}}\n", "models.a", 1, 1),
        ("'seed': 1\n# a note\n\nseed: 2\n", "seed", 1, 4),
        ("x:\n- a: 1\n- b: 1\n  b: 2\n", "x.1.b", 3, 4),
        ('{\n\t"seed": 1,\n\t"seed": 2\n}\n', "seed", 2, 3),
        ('{"a": [{"b\\u00e4": 1,\n"b\\u00e4": 2}]}', "a.0.bä", 1, 2),
        ("a: &one {b: 1}\nc: *one\nd:\n  e: *one\n  e: 1\n", "d.e", 4, 5),
    ],
)
def test_duplicate_key_is_named_with_both_lines(tmp_path, text, key, first, second):
    assert error_message(tmp_path / "my.yaml", text) == (
        f"config: FILE:{second}: duplicate key '{key}', already on line {first}; "
        "remove one of the two"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: {b: 1}\nc: {b: 1}\n",
        "1: a\n'1': b\n",  # a number and a text
        "a: &one {b: 1}\nc: {<<: *one, b: 2}\n",  # what is merged may be changed
        "a: &one [*one]\n",
        '{\n\t"a": "b\\tc\\ud83d\\ude00"\n}\n',
        "\ufeffa: 1\n",
    ],
)
def test_keys_that_are_no_duplicates(tmp_path, text):
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    check_source(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: [1\n", "FILE:3: invalid YAML (expected ',' or ']', but got '<stream end>')"),
        ("a: \x01\n", "FILE: invalid YAML (special characters are not allowed)"),
        ("", "FILE: contains no keys"),
        ("- a\n", "FILE: contains no keys"),
        (b"a: \xff\n", "FILE: not UTF-8 text"),
        ("[" * 1000, "FILE: nested too deeply"),
    ],
)
def test_invalid_file_is_refused(tmp_path, text, sentence):
    assert error_message(tmp_path / "my.yaml", text).startswith(f"config: {sentence}")


def test_missing_file_is_named(tmp_path):
    message = r"no\.yaml: cannot be read .No such file or directory.; check"
    with pytest.raises(UserError, match=message):
        check_source(tmp_path / "no.yaml")


def test_largest_file_is_read(tmp_path, monkeypatch):
    path = tmp_path / "my.yaml"
    path.write_text("a: é\n", encoding="utf-8")
    monkeypatch.setattr(source, "LARGEST", 5)
    check_source(path)
    monkeypatch.setattr(source, "LARGEST", 4)
    with pytest.raises(UserError, match=r"my\.yaml: larger than 4 characters; shorten"):
        check_source(path)


KEYS = st.text(max_size=50)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
)
LAYOUTS = [
    yaml.safe_dump,
    partial(yaml.safe_dump, default_flow_style=True, allow_unicode=True),
    json.dumps,
    partial(json.dumps, indent="\t"),
]


@given(st.dictionaries(KEYS, VALUES, min_size=1), st.sampled_from(LAYOUTS))
def test_any_tree_without_duplicate_keys_is_accepted(tmp_path_factory, tree, layout):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(layout(tree), encoding="utf-8")
    check_source(path)


@given(st.lists(st.text(max_size=20), min_size=1, unique=True), st.data())
def test_any_duplicate_key_is_found(tmp_path_factory, keys, data):
    duplicate = data.draw(st.sampled_from(keys))
    lines = ",\n".join(f"{json.dumps(key)}: 1" for key in [*keys, duplicate])
    sentence = error_message(tmp_path_factory.getbasetemp() / "again.yaml", f"{{{lines}}}")
    assert f"FILE:{len(keys) + 1}: " in sentence
    assert f"already on line {keys.index(duplicate) + 1};" in sentence


def test_command_line_mappings_have_typed_values():
    # Snakemake parses numbers, booleans and null on their own; in a mapping it leaves text.
    config = {
        "seed": 4,
        "limit": "null",
        "nondeterminism": {"requests": "3", "repeats": 2},
        "models": {"1": {"temperature": "0.5", "name": "4", "tags": ["1", "b"], "on": "true"}},
    }
    arguments = [
        "seed=4",
        "limit=null",
        "nondeterminism={requests: 3}",
        "models={1: {temperature: 0.5, name: '4', tags: [1, b], on: true}}",
        "other={",
    ]
    assert typed(config, arguments) == {
        "seed": 4,
        "limit": None,
        "nondeterminism": {"requests": 3, "repeats": 2},
        "models": {"1": {"temperature": 0.5, "name": "4", "tags": [1, "b"], "on": True}},
    }


def test_values_from_the_config_file_stay_as_written():
    config = {"nondeterminism": {"requests": "x"}, "judging": {"attempts": "3"}}
    assert typed(config, ["nondeterminism={requests: 3}", "seed=1"]) == config
