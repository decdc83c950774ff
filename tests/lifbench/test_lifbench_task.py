"""LIFBench's files, components and their settings by config."""

import json
from pathlib import Path

import pytest

from score_records import run
from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH, METRICS
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.config.load import load_config
from steadfast.contract.task import DataFile, Task

MODELS = {"reference": {"engine": "reference"}}
SCORED = {"Qwen2.5-7B": {"engine": "scored"}}
COMMIT = "0123456789" * 4
RELEASED_REWRITES = {"originals": "released", "rewrites": "released"}


def task(models=MODELS, corpora=(), **section) -> Task:
    raw = {"models": models, "corpora": dict(corpora), "lifbench": section}
    return LIFBENCH.of(load_config(raw))


def data_file(task: Task, path: str) -> DataFile:
    files = {file.path: file for file in task.data}
    return files[path]


def test_parts_are_the_lengths_with_their_sources():
    parts = task(lengths={"8k": 6144, "4k": 3072}, tasks=["OQ", "LSI"]).parts
    assert list(parts) == ["4k", "8k"]
    assert (parts["4k"].tokens, parts["8k"].tokens) == (3072, 6144)
    assert parts["4k"].sources == {
        ("contexts", "list"): "lifbench/contexts/list/4k.jsonl",
        ("contexts", "onedoc"): "lifbench/contexts/onedoc/4k.jsonl",
        ("expressions", "OQ"): "lifbench/expressions/OQ.json",
        ("expressions", "LSI"): "lifbench/expressions/LSI.json",
    }


def test_tasks_are_in_the_papers_order():
    first, second = task(tasks=["MF", "OR"]).prompts.settings["tasks"]
    assert (first["id"], second["id"]) == ("OR", "MF")


@pytest.mark.parametrize("expressions", ["own", "released"])
@pytest.mark.parametrize("source", ["synthetic", "local", "hub"])
def test_data_files_have_their_inputs_and_function(source, expressions, tmp_path):
    corpora = {"source": source, "directory": str(tmp_path)}
    config = task(corpora=corpora, expressions=expressions)
    paths = {file.path for file in config.data}
    for part in config.parts.values():
        assert set(part.sources.values()) <= paths
    for file in config.data:
        assert set(file.inputs.values()) <= paths
        assert callable(load(file.content.name))
        json.dumps(file.content.settings)  # plain values


def test_synthetic_corpora_have_twice_the_tokens_in_powers_of_two():
    def tokens(**section) -> int:
        return data_file(task(**section), "corpora/alpaca.jsonl").content.settings["tokens"]

    assert tokens() == 128 * 1024
    assert tokens(lengths={"128k": 122_880}) == 256 * 1024
    assert tokens(lengths={"128k": 122_880}, contexts_per_length=3) == 1024 * 1024
    alone = {"multidoc": ["qmsum", "paul_graham"]}
    assert tokens(lengths={"128k": 122_880}, domains=alone) == 1024 * 1024


def test_local_corpus_is_the_files_of_its_glob(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).write_text("{}")
    local = {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}}
    corpora = {"source": "local", "directory": str(tmp_path), "local": local}
    file = data_file(task(corpora=corpora), "corpora/xsum.jsonl")
    assert [Path(path).name for path in file.files] == ["a.jsonl", "b.jsonl"]
    assert file.content.settings["fields"] == {"text": "body"}


def test_invalid_glob_is_reported(tmp_path):
    local = {"xsum": {"glob": "/absolute/*", "fields": {"text": "body"}}}
    with pytest.raises(UserError, match="corpus xsum: invalid glob '/absolute/\\*'"):
        task(corpora={"source": "local", "directory": str(tmp_path), "local": local})


def test_data_set_of_the_config_replaces_the_pinned_one():
    own = {"repo": "me/mine", "revision": COMMIT, "fields": {"text": "t"}}
    config = task(corpora={"source": "hub", "hub": {"xsum": own}})
    settings = data_file(config, "corpora/xsum.jsonl").content.settings
    assert (settings["repo"], settings["revision"]) == ("me/mine", COMMIT)
    pinned = data_file(config, "corpora/qmsum.jsonl").content.settings
    assert pinned["repo"] == "pszemraj/qmsum-cleaned"


def test_exports_say_whose_the_texts_are(tmp_path):
    own = {"repo": "me/mine", "revision": COMMIT, "fields": {"text": "t"}}
    hub = {"source": "hub", "hub": {"xsum": own}}
    local = {"source": "local", "directory": str(tmp_path)}
    licences = {}
    for corpora in (hub, local, {}):
        exports = task(corpora=corpora, tasks=["MB"]).exports
        assert exports.settings["sources"]["templates"] == "own"
        for name in ("xsum", "qmsum"):
            text = exports.settings["sources"][name]
            licences[name, corpora.get("source")] = (text["origin"][:12], text["licence"])
    assert licences == {
        ("xsum", "hub"): ("me/mine at 0", "unknown"),
        ("qmsum", "hub"): ("pszemraj/qms", "MIT"),
        ("xsum", "local"): ("a directory ", "unknown"),
        ("qmsum", "local"): ("a directory ", "unknown"),
        ("xsum", None): ("made by this", "MIT"),
        ("qmsum", None): ("made by this", "MIT"),
    }
    settings = task(expressions="recs", recs=RELEASED_REWRITES).exports.settings
    assert settings["sources"]["templates"] == "recs of released rewrites"
    assert settings["settings"]["recs"]["clusters"] == 5
    released = task(contexts="released").exports.settings["sources"]
    assert list(released) == ["contexts", "templates"]


@pytest.mark.parametrize(
    ("models", "section", "names"),
    [
        (MODELS, {}, ["effective_context_length"]),
        (MODELS, {"lengths": {"4k": 3072}}, []),
        (MODELS, {"contexts": "released"}, ["effective_context_length", "nested"]),
        (SCORED, {}, ["effective_context_length", "nested"]),
    ],
)
def test_metrics_depend_on_lengths_and_released_contexts_or_scores(models, section, names):
    metrics = task(models, **section).metrics
    assert list(metrics.names[len(METRICS) :]) == names
    assert metrics.function.settings["nested"] == ("nested" in names)
    several = "effective_context_length" in names
    assert metrics.function.settings["effective_context_length"] == several


def test_metrics_have_the_files_of_the_task():
    assert {*metrics(run({"m": 0.5}, ["4k"]), {}, None, "rubric", "released")} == {*METRICS}
    assert task().metrics.function.settings["references"] == ["reference"]


def test_seeds_of_contexts_begin_with_that_of_the_config():
    raw = {"models": MODELS, "seed": 7, "lifbench": {"contexts_per_length": 3}}
    file = data_file(LIFBENCH.of(load_config(raw)), "lifbench/contexts/list/4k.jsonl")
    assert file.content.settings["seeds"] == [7, 8, 9]


def test_released_scores_are_compared_with_the_paper():
    assert "lifbench_reproduction" not in task().tables.names
    scored = task(SCORED)
    assert scored.tables.names[-1] == "lifbench_reproduction"
    assert scored.tables.function.settings["released"] == {"Qwen2.5-7B": "Qwen2.5-7B"}
    assert scored.released_files == ()
    local = task(SCORED, tasks=["OQ"], released={"directory": "d"})
    assert local.released_files == ["d/scores/onedoc-qa.csv"]


def test_released_scores_need_the_released_rubric():
    with pytest.raises(UserError, match=r"lifbench\.rubric: Qwen2\.5-7B has released scores"):
        task(SCORED, rubric="corrected")


@pytest.mark.parametrize(("sampling", "samples"), [("nearest", 1), ("random", 1), ("both", 5)])
def test_random_expressions_beside_the_nearest_are_five_samples(sampling, samples):
    config = task(expressions="recs", recs=RELEASED_REWRITES | {"sampling": sampling})
    file = data_file(config, "lifbench/expressions/LSI.json")
    assert file.content.settings["samples"] == samples


def test_rewriters_are_queried_for_own_rewrites_alone():
    raw = {"models": MODELS, "rewriters": {"sim-writer": {"engine": "simulated"}}}
    for recs, names in (({}, ["sim-writer"]), (RELEASED_REWRITES, [])):
        section = {"expressions": "recs", "recs": recs}
        rewriting = LIFBENCH.of(load_config(raw | {"lifbench": section})).rewriting
        assert (rewriting.rewriters if rewriting else []) == names


def test_expressions_depend_on_templates_and_scenario():
    for name in TASKS:
        file = data_file(task(), f"lifbench/expressions/{name}.json")
        scenario = f"lifbench/scenarios/{TASKS[name].scenario}.yaml"
        assert file.content.resources == (f"lifbench/expressions/{name}.yaml", scenario)
