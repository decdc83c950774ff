"""Mistakes in values, names and sections: each is one sentence that says what to write instead."""

import math
from collections import OrderedDict

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks

REFERENCE = {"reference": {"engine": "reference"}}
OPENAI = {"engine": "openai", "model": "m"}


def complaint(**config):
    with pytest.raises(UserError) as caught:
        load_config({"benchmarks": ["lifbench"], "models": REFERENCE, **config})
    message = str(caught.value)
    assert "\n" not in message
    return message


def of_model(**settings):
    return complaint(models={"m": {**OPENAI, **settings}})


@pytest.mark.parametrize(
    ("section", "name", "settings"),
    [
        ("models", "openai", OPENAI),
        ("judges", "vllm", OPENAI),
        ("models", "openai", REFERENCE["reference"]),
    ],
)
def test_an_unknown_key_of_a_model_that_is_named_like_an_engine(section, name, settings):
    message = complaint(**{section: {name: {**settings, "labl": "x"}}})
    assert message == f"config: unknown key '{section}.{name}.labl'; did you mean 'label'?"


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"models": {"a": 3}}, "models.a: Input should be a mapping of keys, not 3"),
        ({"models": ["a"]}, "models: Input should be a mapping of keys, not ['a']"),
        ({"models": None}, "models: Input should be a mapping of keys, not null"),
        ({"models": {}}, "models: Dictionary should have at least 1 item, not 0"),
        ({"lifbench": None}, "lifbench: Input should be a mapping of keys, not null"),
        ({"models": {"a": {"labl": "x"}}}, "models.a: every model needs an engine, one of refer"),
        ({"models": {"a": {"engine": None, "x": 1}}}, "models.a: every model needs an engine"),
        ({"models": {"a": {"engine": ["openai"]}}}, "models.a: every model needs an engine"),
        ({"models": {1: {}}}, "models: the key 1 is not a string; put it in quotes"),
        ({"models": {"a": {True: 1}}}, "models.a: the key True is not a string; put it in quotes"),
        ({None: 1}, "the key null is not a string; put it in quotes"),
        ({"openai": {}}, "unknown key 'openai'; did you mean 'tokenizer'?"),
        ({"[key]": {}}, "unknown key '[key]'; "),
        ({"a\nb": {}}, r"unknown key 'a\nb'; "),
        ({"corpora": {"local": {"alpacca": {}}}}, "corpora.local.alpacca: 'alpacca' is not one of"),
        (
            {"corpora": {"local": {"xsum": {"glob": "*", "fields": {"id": "id"}}}}},
            "corpora.local.xsum.fields: text is missing; name the field that holds the text",
        ),
        (
            {"corpora": {"hub": {"xsum": {"repo": "a/b", "revision": "main"}}}},
            "corpora.hub.xsum.revision: String should match pattern '^[0-9a-f]{40}$', not 'main'",
        ),
        ({"pathvars": {"results": ""}}, "pathvars.results: '' has no visible characters; write"),
        (
            {"pathvars": {"results": "~/x"}},
            "pathvars: results: '~/x' is not a plain path; write it",
        ),
        ({"pathvars": {"result": "x"}}, "pathvars.result: 'result' is not one of 'results', "),
        (
            {"lifbench": {"recs": {"encoder": {"kind": "tfdif"}}}},
            "lifbench.recs.encoder.kind: unknown kind 'tfdif'; did you mean 'tfidf'?",
        ),
        (
            {"datasets": {"d": {"path": "d", "scorer": "f1", "title": "Best {2024}"}}},
            "datasets.d.title: contains braces or an unprintable character; remove it",
        ),
        (
            {"lifbench": {"recs": {"encoder": {}}}},
            "lifbench.recs.encoder.kind: write one of tfidf, sentence-transformers",
        ),
        (
            {"lifbench": {"recs": {"encoder": {"kind": "sentence-transformers", "modell": "m"}}}},
            "unknown key 'lifbench.recs.encoder.modell'; did you mean 'model'?",
        ),
    ],
)
def test_a_section_of_another_shape(config, sentence):
    with pytest.raises(UserError) as caught:
        load_config({"models": REFERENCE, "benchmarks": ["lifbench"]} | config)
    assert str(caught.value).startswith(f"config: {sentence}")


def test_mappings_of_a_json_config_are_mappings():
    section = OrderedDict(lengths=OrderedDict({"2k": 2048}))
    assert load_config(OrderedDict(models=REFERENCE, lifbench=section, benchmarks=["lifbench"]))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hours": 1e300}, "hours: Input should be less than or equal to 10000, not 1e+300"),
        ({"mem_gb": 1e300}, "mem_gb: Input should be less than or equal to 100000, not 1e+300"),
        ({"window": 10**400}, "window: an integer beyond 9,223,372,036,854,775,807"),
        ({"price": {"input": math.nan, "output": 1}}, "price.input: nan is not a finite number"),
        ({"extra_body": {"a": [math.inf]}}, "extra_body.a.0: inf is not a finite number"),
        ({"extra_body": {"a": {1, 2}}}, "extra_body.a: a set is not allowed; put it in quotes"),
        ({"label": "a\0"}, r"label: 'a\x00' contains a null character; remove it"),
        ({"label": "\ud800"}, r"label: '\ud800' contains half a character (lone surrogate)"),
        (
            {"batch": 3},
            "batch: Input should be a valid boolean",
        ),
        (
            {"batch": "files"},
            "batch: request files for other batch runners are no longer supported",
        ),
        (
            {"batch": "mistral"},
            "batch: the batch format of mistral is no longer supported; set batch: true",
        ),
        ({"max_tokens": 0}, "max_tokens: Input should be greater than or equal to 1 or a mapping"),
        ({"max_tokens": {"LSI": 0}}, "max_tokens.LSI: Input should be greater than or equal to 1"),
        ({"max_tokens": {"LSI": "a"}}, "max_tokens.LSI: Input should be a valid integer, not 'a'"),
        ({"max_tokens": {"LSO": 9}}, "max_tokens: unknown task 'LSO'; did you mean 'LSI'?"),
        (
            {"reasoning": {"parser": "qwen", "tokens": 9}},
            "reasoning.parser: unknown parser 'qwen'; did you mean 'qwen3'?",
        ),
        (
            {"reasoning": {"tags": ["<t>"], "tokens": 9}},
            "reasoning.tags: List should have at least 2 items, not 1",
        ),
    ],
)
def test_a_value_that_cannot_be(settings, sentence):
    assert of_model(**settings).startswith(f"config: models.m.{sentence}")


@pytest.mark.parametrize(
    ("field", "instead"),
    [
        ("n", "use the model's key repeats instead"),
        ("max_completion_tokens", "use the model's key max_tokens instead"),
        ("top_logprobs", "remove it"),
        ("messages", "remove it"),
        ("stream", "remove it"),
    ],
)
def test_extra_body_sets_nothing_that_the_workflow_sets(field, instead):
    assert of_model(extra_body={field: 1}) == (
        f"config: models.m.extra_body: the workflow already sets {field}; {instead}"
    )


@pytest.mark.parametrize("name", ["", ".", "..", "-a", "a/b", "a b", "ä", "a\n"])
def test_names_that_name_no_file(name):
    assert "beginning with a letter or digit" in complaint(models={name: OPENAI})
    assert "beginning with a letter or digit" in complaint(lifbench={"lengths": {name: 2048}})


def test_dots_stand_in_names_of_models_but_not_of_lengths():
    assert load_config({"models": {"gpt-4.1.jsonl": OPENAI}, "benchmarks": ["lifbench"]})
    assert complaint(lifbench={"lengths": {"a.b": 2048}}).startswith(
        "config: lifbench.lengths: length name 'a.b' cannot name files; use letters, digits, '_' and '-', beginning"  # noqa: E501
    )


@pytest.mark.parametrize("section", ["models", "judges"])
def test_names_are_short_and_differ_in_more_than_case(section):
    assert load_config({"models": {"x" * 100: OPENAI}, "benchmarks": ["lifbench"]})
    long = complaint(**{section: {"x" * 101: OPENAI}})
    assert "has 101 characters, more than 100; shorten it" in long
    assert "model names 'A' and 'a' differ only in case" in complaint(
        **{section: {"A": OPENAI, "a": OPENAI}}
    )
    assert "length names '4k' and '4K' differ only in case" in complaint(
        lifbench={"lengths": {"4k": 2048, "4K": 3072}}
    )


def test_a_rewriter_is_asked_once_and_a_judge_has_one_limit():
    repeats = complaint(rewriters={"w": {**OPENAI, "repeats": 2}})
    assert repeats == "config: rewriters: rewriter 'w': rewriters have no repeats; remove repeats"
    limits = complaint(judges={"j": {**OPENAI, "max_tokens": {"LSI": 9}}})
    assert "judge 'j': max_tokens must be one number" in limits


def test_structured_replies_are_those_of_judges_that_are_read_strictly():
    judge = {"j": {**OPENAI, "structured": True}}
    assert "models: 'j': structured is only for judges" in complaint(models=judge)
    assert "rewriters: 'j': structured is only for judges" in complaint(rewriters=judge)
    assert "the released code reads no JSON" in complaint(
        judges=judge, judging={"mode": "released"}
    )
    for more in ({"template": "base"}, {"extra_body": {"response_format": {}}}):
        assert "structured" in complaint(judges={"j": {**judge["j"], **more}})


def test_a_majority_needs_three_judges_that_are_read_strictly():
    three = dict.fromkeys("abc", OPENAI)
    count = {"count": "majority"}
    assert "needs at least three judges, but the config has 2" in complaint(
        judges=dict(list(three.items())[:2]), judging=count
    )
    released = complaint(judges=three, judging={**count, "mode": "released"})
    assert "mode released uses one judge" in released
    named = complaint(judges={**three, "majority": OPENAI}, judging=count)
    assert "rename that judge" in named


def test_limits_name_tasks_of_every_benchmark():
    tasks = {"LSI": 1, "content": 2, "nlp_cif": 3, "Logical Reasoning": 4}
    config = load_config({"models": {"m": {**OPENAI, "max_tokens": tasks}}})
    assert config.models["m"].max_tokens == tasks


@pytest.mark.parametrize("name", ["followbench", "cfbench", "complexbench"])
def test_task_names_are_those_that_prompts_carry(name):
    benchmark = benchmarks()[name]
    task = benchmark.of(load_config({"models": REFERENCE, "judges": REFERENCE}))
    asked = set()
    for part, of_part in task.parts.items():
        (path,) = of_part.sources.values()
        (file,) = (file for file in task.data if file.path == path)
        records = list(file.content.make({}))
        data = {"data": {part: records}}
        asked |= {prompt["task"] for prompt in task.prompts.make(part, data)}
    assert asked == set(benchmark.task_names)
