"""The config's schema, its documentation, the shipped configs, and the files that configs name."""

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
from steadfast.config.settings import plan_settings, response_settings
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


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.name)
def test_shipped_config_is_valid_and_names_the_schema(path):
    assert load_config(read_source(path)).running
    first, _, text = path.read_text().partition("\n")
    folder = ROOT if path.name == "my.example.yaml" else path.parent  # it is copied to ROOT
    assert folder / first.removeprefix("# yaml-language-server: $schema=") == SCHEMA
    EDITOR.validate(yaml.safe_load(text))


def test_docs_and_schema_file_are_up_to_date():
    page = document()
    assert (ROOT / "docs/config.md").read_text() == page, "run `make docs`"
    assert json.loads(SCHEMA.read_text()) == json_schema(), "run `make docs`"
    for section in [json_schema(), *json_schema()["$defs"].values()]:
        for name, key in section.get("properties", {}).items():
            text = key.get("description", "")
            assert text in page and (text or "const" in key or "$ref" in key), name


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
def test_schema_refuses_mistakes(change):
    assert not EDITOR.is_valid({**MINIMAL, **change})


def test_every_setting_of_a_model_has_a_role():
    roles = {"response", "operation", "plan", "resource", "display"}
    config = load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text()))
    for model in config.models.values():
        for name, field in type(model).model_fields.items():
            assert name == "engine" or field.json_schema_extra["role"] in roles, name


def test_answer_and_plan_settings_by_role():
    throughput = {"prefill": 1000.0, "decode": 100.0}
    price = {"input": 2.5, "cached": 1.25, "output": 10.0}
    models = {
        "bare": OPENAI | {"max_concurrency": 1},
        "operated": OPENAI | {"max_concurrency": 64, "label": "X", "base_url": "http://b/v1"},
        "priced": OPENAI | {"price": price, "throughput": throughput},
    }
    bare, operated, priced = load_config({"models": models}).models.values()
    assert response_settings(bare) == response_settings(operated) == response_settings(priced)
    assert plan_settings(priced) == plan_settings(bare) | {
        "throughput": throughput,
        "price": {
            "rates": [{"tokens": 0, **price, "written": 2.5}],
            "shares": {"live": 1, "flex": 1, "batch": 1},
        },
    }


def test_unknown_model_suggests_the_nearest():
    evaluation = Evaluation(load_config(MINIMAL))
    with pytest.raises(UserError, match="unknown model 'referenze'; did you mean 'reference'"):
        evaluation.settings(Job("inference", "lifbench", "referenze", "4k"))


def test_lengths_are_sorted():
    config = load_config({**MINIMAL, "lifbench": {"lengths": {"8k": 6144, "4k": 3072}}})
    assert list(config.lifbench.lengths) == ["4k", "8k"]


def check(change):
    check_required_files(Evaluation(load_config(JUDGED | change)))


RELEASED = {
    "benchmarks": ["lifbench"],
    "lifbench": {"released": {"directory": "nowhere"}},
    "models": {"LWM-Text-1M": {"engine": "scored"}},
}
REPLAY = {"engine": "replay", "file": "no/{benchmark}.{part}.jsonl"}


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("followbench.directory", {"followbench": {"source": "local", "directory": "nowhere"}}),
        ("cfbench.labels", {"cfbench": {"labels": "no.jsonl"}}),
        ("complexbench.extra", {"complexbench": {"extra": "no.json"}}),
        ("followbench.templates.en", {"followbench": {"templates": {"en": "no.txt"}}}),
        ("models.old.file", {"models": {"old": REPLAY}}),
        ("lifbench.released.directory", RELEASED),
    ],
)
def test_missing_file_is_named(key, change):
    with pytest.raises(UserError, match=rf"config: {key}: no\S+: no such file or directory"):
        check(change)


def test_files_of_unused_benchmarks_may_be_missing():
    check({"benchmarks": ["cfbench"], "followbench": {"labels": "no"}})
