"""The config is closed: a mistake is one sentence that names the key and the nearest valid one."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from steadfast.base.errors import UserError
from steadfast.config.document import document
from steadfast.config.json_schema import PATH as SCHEMA
from steadfast.config.json_schema import json_schema
from steadfast.config.load import load_config
from steadfast.config.settings import answer_settings, plan_settings
from steadfast.config.source import read_source
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Job
from steadfast.jobs.required_files import check_required_files

ROOT = Path(__file__).parents[2]
MINIMAL = {"models": {"reference": {"engine": "reference"}}}
EDITOR = Draft202012Validator(json_schema())
OPENAI = {"engine": "openai", "model": "m"}
JUDGED = {
    "benchmarks": ["followbench", "cfbench", "complexbench"],
    "judges": {"judge": {"engine": "reference"}},
    **MINIMAL,
}


def complaint(raw):
    with pytest.raises(UserError) as caught:
        load_config(raw)
    return str(caught.value)


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.name)
def test_the_configs_that_come_with_the_project_are_valid(path):
    assert load_config(read_source(path)).running


def test_the_documentation_is_what_the_schema_says():
    assert (ROOT / "docs/config.md").read_text() == document(), "run `make docs`"


def test_the_schema_for_editors_is_the_schema():
    assert json.loads(SCHEMA.read_text()) == json_schema(), "run `make docs`"
    page = document()
    for section in [json_schema(), *json_schema()["$defs"].values()]:
        for name, key in section.get("properties", {}).items():
            text = key.get("description", "")
            assert text in page and (text or "const" in key or "$ref" in key), name


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.name)
def test_an_editor_finds_the_schema_and_the_example_configs_are_valid_by_it(path):
    first, _, text = path.read_text().partition("\n")
    beside = ROOT if path.name == "my.example.yaml" else path.parent  # it is copied from there
    assert beside / first.removeprefix("# yaml-language-server: $schema=") == SCHEMA
    EDITOR.validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": 1},
        {"lifbench": {"lengths": {"4k": "3072"}}},
        {"models": {"x": {"engine": "opena"}}},
        {"models": {"x": {**OPENAI, "temperature": -1}}},
    ],
    ids=str,
)
def test_an_editor_marks_what_is_wrong(change):
    assert not EDITOR.is_valid({**MINIMAL, **change})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"modles": {}}, "unknown key 'modles'; did you mean 'models'?"),
        (
            {"lifbench": {"lenghts": {"4k": 3072}}},
            "unknown key 'lifbench.lenghts'; did you mean 'lengths'?",
        ),
        (
            {"models": {"x": {**OPENAI, "max_concurency": 3}}},
            "unknown key 'models.x.max_concurency'; did you mean 'max_concurrency'?",
        ),
        (
            {"models": {"x": {"engine": "opnai"}}},
            "models.x.engine: unknown engine 'opnai'; did you mean 'openai'?",
        ),
        (
            {"only": ["referense"]},
            "config: only: unknown model 'referense'; did you mean 'reference'?",
        ),
        ({"models": {"x": {"engine": "openai"}}}, "'models.x.model' is missing"),
        ({"seed": "one"}, "seed: Input should be a valid integer, not 'one'"),
        (
            {"lifbench": {"lengths": {"4m": 4_194_304}}},
            "length 4m: 4,194,304 tokens is out of range; choose a number between 512 and 2,097,152",  # noqa: E501
        ),
        ({"lifbench": {"tasks": ["LSI", "LSX"]}}, "lifbench.tasks.1: 'LSX' is not one of"),
        ({"corpora": {"source": "local"}}, "source local needs corpora.directory"),
        (
            {"models": {"sim-x": {"engine": "reference"}}},
            "the names of simulated models, and only those, start with sim-",
        ),
        (
            {"models": {"a/b": {"engine": "reference"}}},
            "model name 'a/b' cannot name files; use letters",
        ),
    ],
)
def test_a_mistake_is_one_sentence(change, sentence):
    message = complaint({**MINIMAL, **change})
    assert sentence in message
    assert "\n" not in message


def test_settings_of_operation_are_no_part_of_what_determines_answers():
    slow = load_config({"models": {"x": {**OPENAI, "max_concurrency": 1}}})
    fast = load_config(
        {
            "models": {
                "x": {**OPENAI, "max_concurrency": 64, "label": "X", "base_url": "http://b/v1"}
            }
        }
    )
    assert answer_settings(slow.models["x"]) == answer_settings(fast.models["x"])


def test_every_setting_of_a_model_has_a_role():
    config = load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text()))
    for model in config.models.values():
        for name, field in type(model).model_fields.items():
            assert name == "engine" or field.json_schema_extra["role"] in (
                "response",
                "operation",
                "plan",
                "resource",
                "display",
            ), name


def test_a_cap_on_spending_needs_prices():
    with pytest.raises(UserError, match="max_spend needs price"):
        load_config({"models": {"x": {**OPENAI, "max_spend": 5.0}}})


def test_prices_and_throughput_are_known_to_the_plan_and_determine_no_answer():
    price = {"input": 2.5, "cached": 1.25, "output": 10.0}
    throughput = {"prefill": 1000.0, "decode": 100.0}
    bare = load_config({"models": {"x": OPENAI}}).models["x"]
    full = load_config(
        {"models": {"x": {**OPENAI, "price": price, "throughput": throughput}}}
    ).models["x"]
    assert answer_settings(bare) == answer_settings(full)
    assert plan_settings(full) == plan_settings(bare) | {
        "throughput": throughput,
        "price": {
            "rates": [{"tokens": 0, **price, "written": 2.5}],
            "shares": {"live": 1, "flex": 1, "batch": 1},
        },
    }


def test_an_unknown_model_names_the_nearest():
    config = load_config(MINIMAL)
    with pytest.raises(UserError, match="unknown model 'referenze'; did you mean 'reference'"):
        Evaluation(config).settings(Job("inference", "lifbench", "referenze", "4k"))


def test_lengths_run_from_short_to_long():
    config = load_config({**MINIMAL, "lifbench": {"lengths": {"8k": 6144, "4k": 3072}}})
    assert list(config.lifbench.lengths) == ["4k", "8k"]


def check(raw):
    check_required_files(Evaluation(load_config(raw)))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"followbench": {"source": "local", "directory": "nowhere"}}, "followbench.directory"),
        ({"cfbench": {"labels": "no.jsonl"}}, "cfbench.labels"),
        ({"complexbench": {"extra": "no.json"}}, "complexbench.extra"),
        ({"followbench": {"templates": {"en": "no.txt"}}}, "followbench.templates.en"),
        (
            {"models": {"old": {"engine": "replay", "file": "no/{benchmark}.{part}.jsonl"}}},
            "models.old.file",
        ),
        (
            {
                "benchmarks": ["lifbench"],
                "lifbench": {"released": {"directory": "nowhere"}},
                "models": {"LWM-Text-1M": {"engine": "scored"}},
            },
            "lifbench.released.directory",
        ),
    ],
)
def test_a_file_that_is_not_there_is_named(change, key):
    with pytest.raises(UserError, match=rf"config: {key}: no\S+: no such file or directory"):
        check({**JUDGED, **change})


def test_files_of_benchmarks_that_do_not_run_are_not_asked_for():
    check({**JUDGED, "benchmarks": ["cfbench"], "followbench": {"labels": "no"}})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"judges": {}}, "judges: followbench needs a judge"),
        (
            {"judges": {"old": {"engine": "replay", "file": "x"}}},
            "engine replay cannot be used for a judge",
        ),
        ({"judges": {"sim-x": {"engine": "reference"}}}, "the names of simulated models"),
        ({"benchmarks": ["cfbench", "cfbench"]}, "benchmarks: 'cfbench' is listed twice"),
        (
            {"followbench": {"languages": ["en", "en"]}},
            "followbench.languages: 'en' is listed twice",
        ),
        ({"followbench": {"source": "local"}}, "source local needs directory"),
        ({"judging": {"mode": "strickt"}}, "'strickt' is not one of 'strict' or 'released'"),
        ({"judges": {"j": {"engine": "openai", "modle": "x"}}}, "did you mean 'model'"),
    ],
)
def test_a_mistake_about_judging_is_one_sentence(change, sentence):
    message = complaint({**JUDGED, **change})
    assert sentence in message
    assert "\n" not in message
