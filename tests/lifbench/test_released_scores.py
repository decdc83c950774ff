"""The released per-sample scores as score records."""

import hashlib
from pathlib import Path

import pytest
import yaml

from score_records import PAPER_LENGTHS, released_records
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


def read(directory: str | None, lengths=("4k", "128k"), name="m-1", **more) -> dict:
    """The records of the config's model m, by length."""
    cells = [("m", length) for length in lengths]
    found = released_scores({"m": name}, cells, directory, ["OQ"], **more)
    return {length: records for (_, length), records in found.items()}


def complaint(directory: str, **settings) -> str:
    with pytest.raises(UserError) as caught:
        read(directory, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def pinned(directory: Path, content: bytes) -> Record:
    """Where scores are fetched from, in place of the web."""
    known = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    url = (directory / "scores").as_uri() + "/"
    return {"url": url, "files": {FILE: known}}


def test_a_line_becomes_a_score_record(tmp_path):
    found = read(write_scores(tmp_path, HEAD + LINES))
    assert found["4k"] == [
        {
            "sample_id": "OQ/onedoc-4k/e0/v0",
            "repeat": 0,
            "task": "OQ",
            "context_id": "onedoc-4k",
            "expression_id": 0,
            "variable_id": 0,
            "length": "4k",
            "status": "ok",
            "prompt_truncated": False,
            "rubric": "released",
            "points": {"correct": 1.0, "format": 0.5},
            "total": 0.8,
            "extracted": None,
            "judge": None,
            "other_raters": {},
            "depth": None,
        }
    ]
    assert [record["sample_id"] for record in found["128k"]] == ["OQ/onedoc-128k/e4/v5"]


def test_fetched_files_are_the_pinned_ones(tmp_path):
    source = pinned(tmp_path, (HEAD + LINES).encode())
    write_scores(tmp_path, HEAD + LINES)
    assert len(read(None, source=source)["4k"]) == 1
    write_scores(tmp_path, HEAD + LINES.replace("0.8", "0.9"))
    message = complaint(None, source=source)
    assert "is not the pinned" in message
    assert "; try again, or set lifbench.released.directory" in message


@pytest.mark.parametrize(
    "line", ["m-1,0,0,5,1,1,1\n", "m-1,0,x,3,1,1,1\n", "m-1,0,0,3,nan,1,1\n", "m-1,0,0\n"]
)
def test_a_damaged_line_is_named(line, tmp_path):
    directory = write_scores(tmp_path, HEAD + LINES + line)
    assert f"{FILE}:5: not a line" in complaint(directory)


@pytest.mark.parametrize(
    ("text", "settings", "sentence"),
    [
        ("model,score\nm-1,1\n", {}, "column 'correct' is missing"),
        (HEAD + LINES, {"name": "m-2"}, "no scores of model 'm-2'; did you mean 'm-1'?"),
        (HEAD + LINES, {"lengths": ["1m"]}, "at '1m'; available:"),
        (HEAD + LINES, {"lengths": ["8k"]}, "m: no released scores at 8k"),
    ],
)
def test_what_the_files_lack_is_named(text, settings, sentence, tmp_path):
    assert sentence in complaint(write_scores(tmp_path, text), **settings)


def test_a_missing_file_is_named(tmp_path):
    assert f"{FILE}: no such file" in complaint(str(tmp_path))


def test_the_config_names_every_model_of_the_paper():
    config = yaml.safe_load((REPOSITORY / "config/released.yaml").read_text())
    assert list(config["models"]) == [
        name for name, model in PAPER_MODELS.items() if not model.is_reference
    ]


def test_labels_groups_and_gold_answers_are_the_paper_s_by_default():
    scored = {"engine": "scored"}
    models = {
        "glm-4-9b-chat-1m": scored,
        "Qwen2.5-7B": {**scored, "label": "Mine"},
        "standard": scored,
        "sim-a": {"engine": "simulated"},
    }
    config = load_config({"models": models, "only": ["Qwen2.5-7B", "standard", "sim-a"]})
    shown = display(config)["models"]
    assert shown["glm-4-9b-chat-1m"]["label"] == "GLM-4-9b-chat-1m"
    assert (shown["Qwen2.5-7B"]["label"], shown["sim-a"]["label"]) == ("Mine", "sim-a")
    assert shown["Qwen2.5-7B"]["group"] == "Models With 7-20B Parameters"
    assert references(config) == ["standard"]
    assert scored_models(config) == {"Qwen2.5-7B": "Qwen2.5-7B", "standard": "standard"}
    assert queried_models(config) == ["sim-a"]


@needs_cases
def test_the_pinned_files_are_those_at_hand():
    files = facts("lifbench/released_scores.yaml")["files"]
    assert list(files) == [scores_file(task) for task in TASKS.values()]
    for name, known in files.items():
        content = (CASES / "released/scores" / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == tuple(known.values())


@needs_cases
@pytest.mark.parametrize("model", ["Qwen2.5-7B", "standard"])
def test_the_released_scores_are_whole(model):
    for length in PAPER_LENGTHS:
        records = released_records()[model, length]
        assert len(records) == 467
        cut = (model, length) == ("Qwen2.5-7B", "128k")
        assert {record["prompt_truncated"] for record in records} == {cut}
        if model == "standard":
            assert {record["total"] for record in records} == {1.0}
        for record in records:
            points = RUBRICS["released"][record["task"]]
            total = sum(points[name].weight * value for name, value in record["points"].items())
            if record["task"] not in ("LSI", "LOI", "LOE", "LBI", "LBE"):  # Q3 of the rubric
                assert record["total"] == pytest.approx(
                    total / Rubric().total_weight(record["task"])
                )
