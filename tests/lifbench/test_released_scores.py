"""The released per-sample scores as score records."""

import hashlib
from pathlib import Path

import pytest
import yaml

from small_contexts import CASES, needs_cases
from steadfast.config import asked_models, display, load_config, references, scored_models
from steadfast.errors import UserError
from steadfast.files import read_jsonl
from steadfast.lifbench.paper import PAPER_MODELS
from steadfast.lifbench.released_scores import build_released_scores, file_name, local_files
from steadfast.lifbench.tasks import RUBRIC, TASKS, total_weight
from steadfast.metrics.scores import read_scores

ROOT = Path(__file__).resolve().parents[2]
HEAD = "model,ins_id,param_id,length,correct,format,total_score\n"
LINES = "m-1,0,0,3,1.0,0.5,0.8\nm-1,4,5,120,0.0,0.25,0.1\nother,0,0,3,1.0,1.0,1.0\n"
LENGTHS = {3: "4k", 120: "128k"}


def write_scores(directory: Path, text: str) -> str:
    path = directory / "scores" / file_name("OQ")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(directory)


def outs(directory: Path, *models: str, lengths=("4k", "128k")) -> dict:
    return {(m, length): directory / m / f"{length}.jsonl" for m in models for length in lengths}


def complaint(directory: str, files: dict, name: str = "m-1") -> str:
    with pytest.raises(UserError) as caught:
        build_released_scores({"m": name}, ["OQ"], directory, files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_line_becomes_a_score_record(tmp_path):
    files = outs(tmp_path, "m")
    build_released_scores({"m": "m-1"}, ["OQ"], write_scores(tmp_path, HEAD + LINES), files)
    (first,) = read_jsonl(files["m", "4k"])
    assert first == {
        "sample_id": "OQ/onedoc-4k/e0/v0",
        "task": "OQ",
        "context_id": "onedoc-4k",
        "expression_id": 0,
        "variable_id": 0,
        "length": "4k",
        "status": "ok",
        "truncated": False,
        "rubric": "released",
        "points": {"correct": 1.0, "format": 0.5},
        "total": 0.8,
        "extracted": None,
        "also": {},
        "depth": None,
    }
    (second,) = read_jsonl(files["m", "128k"])
    assert second["sample_id"] == "OQ/onedoc-128k/e4/v5"
    assert len(read_scores(files)) == 2


def test_fetched_files_are_the_pinned_ones(tmp_path):
    content = (HEAD + LINES).encode()
    write_scores(tmp_path, HEAD + LINES)
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    source = {
        "url": (tmp_path / "scores").as_uri() + "/",
        "files": {file_name("OQ"): facts},
        "lengths": LENGTHS,
    }
    files = outs(tmp_path, "m")
    build_released_scores({"m": "m-1"}, ["OQ"], None, files, source)
    assert len(list(read_jsonl(files["m", "4k"]))) == 1
    write_scores(tmp_path, HEAD + LINES.replace("0.8", "0.9"))
    with pytest.raises(UserError, match=r"is not .* the pinned one; .* scores/\*\.csv"):
        build_released_scores({"m": "m-1"}, ["OQ"], None, files, source)


def test_no_network_names_the_local_alternative(tmp_path):
    source = {
        "url": tmp_path.as_uri() + "/none/",
        "files": {file_name("OQ"): {"bytes": 1, "sha256": ""}},
        "lengths": LENGTHS,
    }
    with pytest.raises(UserError, match=r"could not be fetched .*lifbench\.released\.directory"):
        build_released_scores({"m": "m-1"}, ["OQ"], None, outs(tmp_path, "m"), source)


@pytest.mark.parametrize(
    "line", ["m-1,0,0,5,1,1,1\n", "m-1,0,x,3,1,1,1\n", "m-1,0,0,3,nan,1,1\n", "m-1,0,0\n"]
)
def test_a_damaged_line_is_named(line, tmp_path):
    directory = write_scores(tmp_path, HEAD + LINES + line)
    assert f"{file_name('OQ')}:5: not a line" in complaint(directory, outs(tmp_path, "m"))


def test_a_file_of_another_shape_is_named(tmp_path):
    directory = write_scores(tmp_path, "model,score\nm-1,1\n")
    assert "column 'correct' is missing" in complaint(directory, outs(tmp_path, "m"))


def test_a_misspelt_model_names_the_nearest(tmp_path):
    directory = write_scores(tmp_path, HEAD + LINES)
    message = complaint(directory, outs(tmp_path, "m"), "m-2")
    assert "no scores of model 'm-2'; did you mean 'm-1'?" in message


def test_a_length_without_released_scores_names_the_known_ones(tmp_path):
    directory = write_scores(tmp_path, HEAD + LINES)
    assert "at '1m'; the known ones are" in complaint(
        directory, outs(tmp_path, "m", lengths=["1m"])
    )
    assert "m: no released scores at 8k" in complaint(
        directory, outs(tmp_path, "m", lengths=["8k"])
    )


def test_a_missing_file_is_named(tmp_path):
    assert f"{file_name('OQ')}: no such file" in complaint(str(tmp_path), outs(tmp_path, "m"))


def test_local_files_are_listed_and_fetched_ones_are_not():
    assert local_files("d", ["OQ"]) == ["d/scores/onedoc-qa.csv"]
    assert local_files(None, ["OQ"]) == []


def test_the_config_names_every_model_of_the_paper():
    config = yaml.safe_load((ROOT / "config/released.yaml").read_text())
    assert list(config["models"]) == [
        name for name, model in PAPER_MODELS.items() if not model.gold
    ]


def test_labels_groups_and_gold_answers_are_the_paper_s_by_default():
    scored = {"engine": "scored"}
    models = {
        "glm-4-9b-chat-1m": scored,
        "mine": {**scored, "released_name": "Qwen2.5-7B", "label": "Mine"},
        "standard": scored,
        "sim-a": {"engine": "simulated"},
    }
    config = load_config({"models": models, "only": ["mine", "standard", "sim-a"]})
    shown = display(config)
    assert shown["labels"]["glm-4-9b-chat-1m"] == "GLM-4-9b-chat-1m"
    assert (shown["labels"]["mine"], shown["labels"]["sim-a"]) == ("Mine", "sim-a")
    assert shown["groups"]["mine"] == "Models With 7-20B Parameters"
    assert references(config) == ["standard"]
    assert scored_models(config) == {"mine": "Qwen2.5-7B", "standard": "standard"}
    assert asked_models(config) == ["sim-a"]


@needs_cases
def test_the_pinned_files_are_those_at_hand():
    source = yaml.safe_load((ROOT / "resources/lifbench/released.yaml").read_text())["scores"]
    assert list(source["files"]) == [file_name(task) for task in TASKS]
    for name, facts in source["files"].items():
        content = (CASES / "released/scores" / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == tuple(facts.values())


@needs_cases
def test_the_released_scores_are_whole(tmp_path):
    models = {"qwen": "Qwen2.5-7B", "gold": "standard"}
    lengths = ("4k", "8k", "16k", "32k", "64k", "128k")
    files = outs(tmp_path, *models, lengths=lengths)
    build_released_scores(models, list(TASKS), str(CASES / "released"), files)
    for (model, length), path in files.items():
        records = list(read_jsonl(path))
        assert len(records) == 467
        assert {record["truncated"] for record in records} == {(model, length) == ("qwen", "128k")}
        if model == "gold":
            assert {record["total"] for record in records} == {1.0}
        for record in records:
            points = RUBRIC[record["task"]]
            total = sum(points[name].weight * value for name, value in record["points"].items())
            if record["task"] not in ("LSI", "LOI", "LOE", "LBI", "LBE"):  # Q3 of the rubric
                assert record["total"] == pytest.approx(total / total_weight(record["task"]))
