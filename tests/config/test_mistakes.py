"""Mistakes in a config: each is one sentence that names the key and says what to write instead."""

import math
from collections import OrderedDict

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks

REFERENCE = {"reference": {"engine": "reference"}}
OPENAI = {"engine": "openai", "model": "m"}
LIFBENCH = {"benchmarks": ["lifbench"], "models": REFERENCE}
JUDGED = {
    "benchmarks": ["followbench", "cfbench", "complexbench"],
    "judges": {"judge": {"engine": "reference"}},
    "models": REFERENCE,
}
MISTAKES = r"""
modles: {}
    unknown key 'modles'; did you mean 'models'?
openai: {}
    unknown key 'openai'; did you mean 'tokenizer'?
"[key]": {}
    unknown key '[key]'; …
"a\nb": {}
    unknown key 'a\nb'; …
null: 1
    the key null is not a string; put it in quotes
seed: one
    seed: Input should be a valid integer, not 'one'
only: [referense]
    only: unknown model 'referense'; did you mean 'reference'?
models: null
    models: Input should be a mapping of keys, not null
models: {}
    models: expected at least 1 item, not 0; add what is missing (see docs/config.md)
models: [a]
    models: Input should be a mapping of keys, not ['a']
models: {a: 3}
    models.a: Input should be a mapping of keys, not 3
models: {1: {}}
    models: the key 1 is not a string; put it in quotes
models: {a: {true: 1}}
    models.a: the key True is not a string; put it in quotes
models: {a: {labl: x}}
    models.a: every model needs an engine, one of refer…
models: {a: {engine: null, x: 1}}
    models.a: every model needs an engine…
models: {a: {engine: [openai]}}
    models.a: every model needs an engine…
models: {a: {engine: opnai}}
    models.a.engine: unknown engine 'opnai'; did you mean 'openai'?
models: {a: {engine: openai}}
    'models.a.model' is missing…
models: {a: {engine: openai, model: m, max_concurency: 3}}
    unknown key 'models.a.max_concurency'; did you mean 'max_concurrency'?
models: {a: {engine: openai, model: m, max_spend: 5.0}}
    models.a: max_spend needs price…
models: {openai: {engine: openai, model: m, labl: x}}
    unknown key 'models.openai.labl'; did you mean 'label'?
models: {openai: {engine: reference, labl: x}}
    unknown key 'models.openai.labl'; did you mean 'label'?
judges: {vllm: {engine: openai, model: m, labl: x}}
    unknown key 'judges.vllm.labl'; did you mean 'label'?
models: {sim-x: {engine: reference}}
    models: model 'sim-x': the names of simulated models, and only those, start with sim-…
models: {a/b: {engine: reference}}
    models: model name 'a/b' cannot name files; use letters…
lifbench: null
    lifbench: Input should be a mapping of keys, not null
lifbench: {lenghts: {4k: 3072}}
    unknown key 'lifbench.lenghts'; did you mean 'lengths'?
lifbench: {lengths: {4m: 4194304}}
    lifbench.lengths: length 4m: 4,194,304 tokens is out of range; choose a number between 512 and 2,097,152
lifbench: {tasks: [LSI, LSX]}
    lifbench.tasks.1: 'LSX' is not one of…
lifbench: {recs: {encoder: {}}}
    lifbench.recs.encoder.kind: write one of tfidf, sentence-transformers…
lifbench: {recs: {encoder: {kind: tfdif}}}
    lifbench.recs.encoder.kind: unknown kind 'tfdif'; did you mean 'tfidf'?
lifbench: {recs: {encoder: {kind: sentence-transformers, modell: m}}}
    unknown key 'lifbench.recs.encoder.modell'; did you mean 'model'?
corpora: {source: local}
    corpora: source local needs corpora.directory…
corpora: {local: {alpacca: {}}}
    corpora.local.alpacca: 'alpacca' is not one of…
corpora: {local: {xsum: {glob: "*", fields: {id: id}}}}
    corpora.local.xsum.fields: text is missing; name the field that holds the text…
corpora: {hub: {xsum: {repo: a/b, revision: main}}}
    corpora.hub.xsum.revision: String should match pattern '^[0-9a-f]{40}$', not 'main'
pathvars: {results: ""}
    pathvars.results: '' has no visible characters; write…
pathvars: {results: ~/x}
    pathvars: results: '~/x' is not a plain path; write it…
pathvars: {result: x}
    pathvars.result: 'result' is not one of 'results', …
datasets: {d: {path: d, scorer: f1, title: "Best {2024}"}}
    datasets.d.title: contains braces or an unprintable character; remove it…
"""  # noqa: E501
"""Configs in YAML, each above its sentence; "…" omits the end."""
JUDGING_MISTAKES = """
judges: {}
    judges: followbench needs a judge…
judges: {old: {engine: replay, file: x}}
    judges: judge 'old': engine replay cannot be used for a judge…
judges: {sim-x: {engine: reference}}
    judges: model 'sim-x': the names of simulated models…
judges: {j: {engine: openai, modle: x}}
    unknown key 'judges.j.modle'; did you mean 'model'?
benchmarks: [cfbench, cfbench]
    benchmarks: 'cfbench' is listed twice…
followbench: {languages: [en, en]}
    followbench.languages: 'en' is listed twice…
followbench: {source: local}
    followbench: source local needs directory…
judging: {mode: strickt}
    judging.mode: 'strickt' is not one of 'strict' or 'released'
"""


def complaint(config, base=LIFBENCH):
    with pytest.raises(UserError) as caught:
        load_config(base | config)
    message = str(caught.value)
    assert "\n" not in message
    return message


def assert_sentence(message, sentence):
    expected = f"config: {sentence}"
    if expected.endswith("…"):
        assert message.startswith(expected[:-1])
    else:
        assert message == expected


def cases(base, table):
    lines = table.strip().splitlines()
    for config, sentence in zip(lines[::2], lines[1::2], strict=True):
        yield pytest.param(base, yaml.safe_load(config), sentence.strip(), id=config)


@pytest.mark.parametrize(
    ("base", "config", "sentence"),
    [*cases(LIFBENCH, MISTAKES), *cases(JUDGED, JUDGING_MISTAKES)],
)
def test_mistake_is_one_sentence(base, config, sentence):
    assert_sentence(complaint(config, base), sentence)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hours": 1e300}, "hours: Input should be less than or equal to 10000, not 1e+300"),
        ({"mem_gb": 1e300}, "mem_gb: Input should be less than or equal to 100000, not 1e+300"),
        ({"window": 10**400}, "window: an integer beyond 9,223,372,036,854,775,807…"),
        ({"price": {"input": math.nan, "output": 1}}, "price.input: nan is not a finite number…"),
        ({"extra_body": {"a": [math.inf]}}, "extra_body.a.0: inf is not a finite number…"),
        ({"extra_body": {"a": {1, 2}}}, "extra_body.a: a set is not allowed; put it in quotes…"),
        ({"label": "a\0"}, r"label: 'a\x00' contains a null character; remove it"),
        ({"label": "\ud800"}, r"label: '\ud800' contains half a character (lone surrogate)…"),
        ({"batch": 3}, "batch: Input should be a valid boolean…"),
        (
            {"batch": "files"},
            "batch: request files for other batch runners are no longer supported…",
        ),
        (
            {"batch": "mistral"},
            "batch: the batch format of mistral is no longer supported; set batch: true…",
        ),
        ({"max_tokens": 0}, "max_tokens: Input should be greater than or equal to 1 or a mapping…"),
        ({"max_tokens": {"LSI": 0}}, "max_tokens.LSI: Input should be greater than or equal to 1…"),
        ({"max_tokens": {"LSI": "a"}}, "max_tokens.LSI: Input should be a valid integer, not 'a'"),
        ({"max_tokens": {"LSO": 9}}, "max_tokens: unknown task 'LSO'; did you mean 'LSI'?"),
        (
            {"reasoning": {"parser": "qwen", "tokens": 9}},
            "reasoning.parser: unknown parser 'qwen'; did you mean 'qwen3'?",
        ),
        (
            {"reasoning": {"tags": ["<t>"], "tokens": 9}},
            "reasoning.tags: expected at least 2 items, not 1; "
            "add what is missing (see docs/config.md)",
        ),
    ],
)
def test_invalid_value_of_a_model_is_named(settings, sentence):
    assert_sentence(complaint({"models": {"m": OPENAI | settings}}), f"models.m.{sentence}")


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
def test_extra_body_cannot_set_fields_of_the_workflow(field, instead):
    models = {"m": OPENAI | {"extra_body": {field: 1}}}
    sentence = f"models.m.extra_body: the workflow already sets {field}; {instead}"
    assert_sentence(complaint({"models": models}), sentence)


def test_ordered_mappings_are_mappings():
    section = OrderedDict(lengths=OrderedDict({"2k": 2048}))
    assert load_config(OrderedDict(models=REFERENCE, lifbench=section, benchmarks=["lifbench"]))


@pytest.mark.parametrize("name", ["", ".", "..", "-a", "a/b", "a b", "ä", "a\n"])
def test_name_must_be_valid_in_a_file_name(name):
    for config in ({"models": {name: OPENAI}}, {"lifbench": {"lengths": {name: 2048}}}):
        assert "beginning with a letter or digit" in complaint(config)


def test_dots_are_allowed_in_model_names_but_not_in_lengths():
    assert load_config(LIFBENCH | {"models": {"gpt-4.1.jsonl": OPENAI}})
    assert_sentence(
        complaint({"lifbench": {"lengths": {"a.b": 2048}}}),
        "lifbench.lengths: length name 'a.b' cannot name files; "
        "use letters, digits, '_' and '-', beginning…",
    )


@pytest.mark.parametrize("section", ["models", "judges"])
def test_names_are_limited_in_length_and_unique_without_case(section):
    assert load_config(LIFBENCH | {"models": {"x" * 100: OPENAI}})
    long = complaint({section: {"x" * 101: OPENAI}})
    assert "has 101 characters, more than 100; shorten it" in long
    models = complaint({section: {"A": OPENAI, "a": OPENAI}})
    assert "model names 'A' and 'a' differ only in case" in models
    lengths = complaint({"lifbench": {"lengths": {"4k": 2048, "4K": 3072}}})
    assert "length names '4k' and '4K' differ only in case" in lengths


def test_rewriters_have_no_repeats_and_judges_one_limit():
    repeats = complaint({"rewriters": {"w": {**OPENAI, "repeats": 2}}})
    assert repeats == "config: rewriters: rewriter 'w': rewriters have no repeats; remove repeats"
    limits = complaint({"judges": {"j": {**OPENAI, "max_tokens": {"LSI": 9}}}})
    assert "judge 'j': max_tokens must be one number" in limits


def test_structured_needs_a_strictly_read_judge():
    structured = OPENAI | {"structured": True}
    judges = {"j": structured}
    assert "models: 'j': structured is only for judges" in complaint({"models": judges})
    assert "rewriters: 'j': structured is only for judges" in complaint({"rewriters": judges})
    released = complaint({"judges": judges, "judging": {"mode": "released"}})
    assert "the released code reads no JSON" in released
    for setting in ({"template": "base"}, {"extra_body": {"response_format": {}}}):
        assert "structured" in complaint({"judges": {"j": structured | setting}})


@pytest.mark.parametrize(
    ("names", "mode", "sentence"),
    [
        (["a", "b"], "strict", "needs at least three judges, but the config has 2"),
        (["a", "b", "c"], "released", "mode released uses one judge"),
        (["a", "b", "c", "majority"], "strict", "rename that judge"),
    ],
)
def test_majority_needs_three_strictly_read_judges(names, mode, sentence):
    judging = {"count": "majority", "mode": mode}
    assert sentence in complaint({"judges": dict.fromkeys(names, OPENAI), "judging": judging})


def test_max_tokens_accepts_tasks_of_every_benchmark():
    tasks = {"LSI": 1, "content": 2, "nlp_cif": 3, "Logical Reasoning": 4}
    config = load_config({"models": {"m": {**OPENAI, "max_tokens": tasks}}})
    assert config.models["m"].max_tokens == tasks


@pytest.mark.parametrize("name", ["followbench", "cfbench", "complexbench"])
def test_task_names_are_those_of_the_prompts(name):
    benchmark = benchmarks()[name]
    task = benchmark.of(load_config({"models": REFERENCE, "judges": REFERENCE}))
    contents = {file.path: file.content for file in task.data}
    names = set()
    for part, settings in task.parts.items():
        (path,) = settings.sources.values()
        data = {"data": {part: list(contents[path].make({}))}}
        names |= {prompt["task"] for prompt in task.prompts.make(part, data)}
    assert names == set(benchmark.task_names)


def test_removed_keys_say_what_to_do_instead():
    for key, instead in (facts("removed_keys.yaml") or {}).items():
        assert len(instead.split()) > 3, key
        assert not instead.endswith("."), key
