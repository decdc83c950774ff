"""The released per-sample scores as score records."""

import hashlib
from pathlib import Path

import pandas as pd
import pytest
import yaml

from score_records import LIST_TASKS, PAPER_LENGTHS, released_records
from small_contexts import CASES, REPOSITORY, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import scores_file
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric
from steadfast.config.load import load_config
from steadfast.config.settings import display, queried_models, references, scored_models

FILE = "onedoc-qa.csv"
HEAD = "model,ins_id,param_id,length,correct,format,total_score\n"
LINES = "m-1,0,0,3,1.0,0.5,0.8\nm-1,4,5,120,0.0,0.25,0.1\nother,0,0,3,1.0,1.0,1.0\n"


def write_scores(directory: Path, text: str) -> str:
    path = directory / "scores" / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(directory)


def read(directory: str | None, lengths=("4k", "128k"), name="m-1", **source) -> list:
    """The records of the config's model m at each length."""
    cells = [("m", length) for length in lengths]
    return list(released_scores({"m": name}, cells, directory, ["OQ"], **source).values())


def error_of(directory: str | None, **settings) -> str:
    with pytest.raises(UserError) as error:
        read(directory, **settings)
    assert "\n" not in str(error.value)
    return str(error.value)


def pinned(directory: Path, content: bytes) -> Record:
    """A source of scores in a folder, in place of the web."""
    pin = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    url = (directory / "scores").as_uri() + "/"
    return {"url": url, "files": {FILE: pin}}


def test_score_record_of_a_line(tmp_path):
    first, second = read(write_scores(tmp_path, HEAD + LINES))
    assert first == [{
        "sample_id": "OQ/onedoc-4k/e0/v0", "repeat": 0, "task": "OQ", "context_id": "onedoc-4k",
        "expression_id": 0, "variable_id": 0, "length": "4k", "status": "ok",
        "prompt_truncated": False, "rubric": "released", "points": {"correct": 1.0, "format": 0.5},
        "total": 0.8, "extracted": None, "judge": None, "other_raters": {}, "depth": None,
    }]  # fmt: skip
    assert (len(second), second[0]["sample_id"]) == (1, "OQ/onedoc-128k/e4/v5")


def test_fetched_file_must_be_the_pinned_one(tmp_path):
    source = pinned(tmp_path, (HEAD + LINES).encode())
    write_scores(tmp_path, HEAD + LINES)
    assert len(read(None, source=source)[0]) == 1
    write_scores(tmp_path, HEAD + LINES.replace("0.8", "0.9"))
    message = error_of(None, source=source)
    assert "is not the pinned" in message
    assert "; try again, or set lifbench.released.directory" in message


@pytest.mark.parametrize(
    "line", ["m-1,0,0,5,1,1,1\n", "m-1,0,x,3,1,1,1\n", "m-1,0,0,3,nan,1,1\n", "m-1,0,0\n"]
)
def test_damaged_line_is_reported(line, tmp_path):
    directory = write_scores(tmp_path, HEAD + LINES + line)
    assert f"{FILE}:5: not a line" in error_of(directory)


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("model,score\nm-1,1\n", {}, "column 'correct' is missing"),
        (HEAD + LINES, {"name": "m-2"}, "no scores of model 'm-2'; did you mean 'm-1'?"),
        (HEAD + LINES, {"lengths": ["1m"]}, "at '1m'; available:"),
        (HEAD + LINES, {"lengths": ["8k"]}, "m: no released scores at 8k"),
    ],
)
def test_missing_column_model_or_length_is_reported(text, settings, message, tmp_path):
    assert message in error_of(write_scores(tmp_path, text), **settings)


def test_missing_file_is_reported(tmp_path):
    assert f"{FILE}: no such file" in error_of(str(tmp_path))


def test_config_has_every_model_of_the_paper():
    config = yaml.safe_load((REPOSITORY / "config/released.yaml").read_text())
    assert list(config["models"]) == [
        name for name, model in PAPER_MODELS.items() if not model.is_reference
    ]


def test_default_labels_groups_and_references_are_the_papers():
    scored = {"engine": "scored"}
    models = {
        "glm-4-9b-chat-1m": scored,
        "Qwen2.5-7B": {**scored, "label": "Mine"},
        "standard": scored,
        "sim-a": {"engine": "simulated"},
    }
    config = load_config({"models": models, "only": ["Qwen2.5-7B", "standard", "sim-a"]})
    models = display(config)["models"]
    assert models["glm-4-9b-chat-1m"]["label"] == "GLM-4-9b-chat-1m"
    assert (models["Qwen2.5-7B"]["label"], models["sim-a"]["label"]) == ("Mine", "sim-a")
    assert models["Qwen2.5-7B"]["group"] == "Models With 7-20B Parameters"
    assert references(config) == ["standard"]
    assert scored_models(config) == {"Qwen2.5-7B": "Qwen2.5-7B", "standard": "standard"}
    assert queried_models(config) == ["sim-a"]


@needs_cases
def test_pinned_files_are_the_shared_copies():
    files = facts("lifbench/released_scores.yaml")["files"]
    assert list(files) == list(map(scores_file, TASKS.values()))
    for name, pin in files.items():
        content = (CASES / "released/scores" / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == tuple(pin.values())


@needs_cases
@pytest.mark.parametrize("model", ["Qwen2.5-7B", "standard"])
def test_released_scores_are_complete(model):
    for length in PAPER_LENGTHS:
        records = pd.DataFrame(released_records()[model, length])
        assert len(records) == 467
        truncated = (model, length) == ("Qwen2.5-7B", "128k")
        assert set(records["prompt_truncated"]) == {truncated}
        if model == "standard":
            assert set(records["total"]) == {1.0}
        for task, rows in records.groupby("task"):
            weights = {name: point.weight for name, point in RUBRICS["released"][task].items()}
            points = pd.DataFrame(rows["points"].tolist())
            assert set(points) == set(weights)
            totals = (points * weights).sum(axis=1) / Rubric().total_weight(task)
            if task not in LIST_TASKS:  # Q3 of the rubric
                assert rows["total"].tolist() == pytest.approx(totals.tolist())
