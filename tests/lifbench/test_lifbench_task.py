"""What a config asks of LIFBench: files, components and their settings."""

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


def task(models=MODELS, corpora=(), **section) -> Task:
    raw = {"models": models, "corpora": dict(corpora), "lifbench": section}
    return LIFBENCH.of(load_config(raw))


def data_file(found: Task, path: str) -> DataFile:
    (file,) = (file for file in found.data if file.path == path)
    return file


def test_a_part_is_a_length_whose_tasks_run_in_the_paper_s_order():
    parts = task(lengths={"8k": 6144, "4k": 3072}, tasks=["OQ", "LSI"]).parts
    assert {name: part.tokens for name, part in parts.items()} == {"4k": 3072, "8k": 6144}
    assert parts["4k"].sources == {
        ("contexts", "list"): "lifbench/contexts/list/4k.jsonl",
        ("contexts", "onedoc"): "lifbench/contexts/onedoc/4k.jsonl",
        ("expressions", "OQ"): "lifbench/expressions/OQ.json",
        ("expressions", "LSI"): "lifbench/expressions/LSI.json",
    }
    asked = task(tasks=["MF", "OR"]).prompts.settings["tasks"]
    assert [one["id"] for one in asked] == ["OR", "MF"]


@pytest.mark.parametrize("expressions", ["own", "released"])
@pytest.mark.parametrize("source", ["synthetic", "local", "hub"])
def test_every_data_file_has_its_inputs_and_a_function_that_takes_its_settings(
    source, expressions, tmp_path
):
    found = task(corpora={"source": source, "directory": str(tmp_path)}, expressions=expressions)
    paths = {file.path for file in found.data}
    assert {path for part in found.parts.values() for path in part.sources.values()} <= paths
    assert {path for file in found.data for path in file.inputs.values()} <= paths
    for file in found.data:
        assert callable(load(file.content.name))
        json.dumps(file.content.settings)  # plain values


def test_synthetic_corpora_hold_twice_what_contexts_need_in_powers_of_two():
    def tokens(**section) -> int:
        return data_file(task(**section), "corpora/alpaca.jsonl").content.settings["tokens"]

    assert tokens() == 128 * 1024
    assert tokens(lengths={"128k": 122_880}) == 256 * 1024
    assert tokens(lengths={"128k": 122_880}, contexts_per_length=3) == 1024 * 1024
    alone = {"multidoc": ["qmsum", "paul_graham"]}
    assert tokens(lengths={"128k": 122_880}, domains=alone) == 1024 * 1024


def test_local_corpora_are_their_files_and_bad_globs_are_named(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).write_text("{}")
    local = {"xsum": {"glob": "*.jsonl", "fields": {"text": "body"}}}
    corpora = {"source": "local", "directory": str(tmp_path), "local": local}
    file = data_file(task(corpora=corpora), "corpora/xsum.jsonl")
    assert [Path(path).name for path in file.files] == ["a.jsonl", "b.jsonl"]
    assert file.content.settings["fields"] == {"text": "body"}
    local = {"xsum": {"glob": "/absolute/*", "fields": {"text": "body"}}}
    with pytest.raises(UserError, match="corpus xsum: invalid glob '/absolute/\\*'"):
        task(corpora={"source": "local", "directory": str(tmp_path), "local": local})


def test_a_data_set_of_one_s_own_replaces_the_pinned_one():
    own = {"repo": "me/mine", "revision": COMMIT, "fields": {"text": "t"}}
    found = task(corpora={"source": "hub", "hub": {"xsum": own}})
    settings = data_file(found, "corpora/xsum.jsonl").content.settings
    assert (settings["repo"], settings["revision"]) == ("me/mine", COMMIT)
    pinned = data_file(found, "corpora/qmsum.jsonl").content.settings
    assert pinned["repo"] == "pszemraj/qmsum-cleaned"


def test_metrics_seeds_and_templates_are_those_of_the_config():
    assert {*metrics(run({"m": 0.5}, ["4k"]), {}, None, "rubric", "released")} == {*METRICS}
    assert task().metrics.function.settings["references"] == ["reference"]
    raw = {"models": MODELS, "seed": 7, "lifbench": {"contexts_per_length": 3}}
    found = LIFBENCH.of(load_config(raw))
    file = data_file(found, "lifbench/contexts/list/4k.jsonl")
    assert file.content.settings["seeds"] == [7, 8, 9]


def test_released_scores_bring_the_comparison_with_the_paper_and_need_its_rubric():
    assert "lifbench_reproduction" not in task().tables.names
    found = task(SCORED)
    assert found.tables.names[-1] == "lifbench_reproduction"
    assert found.tables.function.settings["released"] == {"Qwen2.5-7B": "Qwen2.5-7B"}
    assert task(SCORED).released_files == ()
    found = task(SCORED, tasks=["OQ"], released={"directory": "d"})
    assert found.released_files == ["d/scores/onedoc-qa.csv"]
    with pytest.raises(UserError, match=r"lifbench\.rubric: Qwen2\.5-7B has released scores"):
        task(SCORED, rubric="corrected")


def test_expressions_depend_on_their_task_s_templates_and_their_scenario_s_description():
    for name in TASKS:
        file = data_file(task(), f"lifbench/expressions/{name}.json")
        own = f"lifbench/expressions/{name}.yaml", f"lifbench/scenarios/{TASKS[name].scenario}.yaml"
        assert file.content.resources == own
