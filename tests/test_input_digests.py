"""The user's own files count by what they hold, for the steps that read them."""

import os
from pathlib import Path

import pytest

from steadfast.base.files import file_sha256
from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.jobs.digests import Contents
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A config with three files of the user's: labels, a judge template and replies."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name in ("labels.jsonl", "judge.txt", "replies.jsonl"):
        Path(name).write_text("{}\n")
    return {
        "benchmarks": ["cfbench"],
        "cfbench": {"labels": "labels.jsonl", "templates": {"zh": "judge.txt"}},
        "judges": {"j": {"engine": "openai", "model": "j"}},
        "models": {"old": {"engine": "replay", "file": "replies.jsonl"}},
    }


def steps(config) -> dict[str, str]:
    input_digest = InputDigests(Evaluation(load_config(config)))
    place = "cfbench", "old", "zh"
    return {
        "outputs": input_digest.outputs(*place).input_digest,
        "judging": input_digest.judge_prompts(*place).input_digest,
        "scores": input_digest.scores(*place).input_digest,
        "metrics": input_digest.metrics("cfbench").input_digest,
    }


@pytest.mark.parametrize(
    ("file", "readers"),
    [
        ("labels.jsonl", {"metrics"}),
        ("judge.txt", {"judging", "scores", "metrics"}),
        ("replies.jsonl", {"outputs", "judging", "scores", "metrics"}),
    ],
)
def test_a_changed_file_changes_what_reads_it_whatever_its_time(config, file, readers):
    before = steps(config)
    Path(file).write_text('{"other": 1}\n')
    os.utime(file, (0, 0))
    after = steps(config)
    assert {name for name in before if before[name] != after[name]} == readers


def test_a_corpus_replaced_by_one_with_an_older_time_makes_other_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    corpus = tmp_path / "corpora/alpaca/alpaca_data.json"
    corpus.parent.mkdir(parents=True)
    local = {"source": "local", "directory": str(tmp_path / "corpora")}
    raw = {"benchmarks": ["lifbench"], "models": {"m": {"engine": "reference"}}, "corpora": local}
    found = []
    for text in ("Count to ten.", "Coast to Coast."):
        corpus.write_text(text)
        os.utime(corpus, (0, 0))
        found.append(
            InputDigests(Evaluation(load_config(raw))).data("corpora/alpaca.jsonl").input_digest
        )
    assert found[0] != found[1]


def test_files_saved_unchanged_change_nothing_and_another_judge_its_scores(config):
    before = steps(config)
    Path("labels.jsonl").write_text("{}\n")
    assert steps(config) == before
    before = steps(config)
    after = steps({**config, "judges": {"k": config["judges"]["j"]}})
    assert before["judging"] == after["judging"]
    assert before["scores"] != after["scores"]


def test_noise_is_known_where_it_was_measured_of_the_answers_that_the_config_asks_for(tmp_path):
    model = {"engine": "openai", "model": "m"}
    config = {"benchmarks": ["lifbench"], "models": {"m": model}}
    input_digest = InputDigests(Evaluation(load_config(config)))
    assert input_digest.measured_nondeterminism(tmp_path) == {}
    path = tmp_path / "nondeterminism/lifbench/m/4k.csv"
    path.parent.mkdir(parents=True)
    path.write_text("task,cache,answer_sd\n")
    assert input_digest.measured_nondeterminism(tmp_path) == {}
    made = input_digest.nondeterminism("lifbench", "m", "4k").input_digest
    Provenance.beside(path, made).write()
    found = {"nondeterminism/lifbench/m/4k.csv": [made, file_sha256(path)]}
    assert input_digest.measured_nondeterminism(tmp_path) == found
    # How it was measured changes nothing; whom it is of, or how that is scored, does.
    again = {**config, "nondeterminism": {"requests": 9}}
    assert InputDigests(Evaluation(load_config(again))).measured_nondeterminism(tmp_path) == found
    for other in (
        {"models": {"m": {**model, "temperature": 1.0}}},
        {"lifbench": {"rubric": "corrected"}},
    ):
        assert (
            InputDigests(Evaluation(load_config(config | other))).measured_nondeterminism(tmp_path)
            == {}
        )


CODE = '''"""What it is."""

LIMIT = 3


class Kind:
    """A kind."""

    def read(self):
        """How it reads."""
        return LIMIT
'''


def test_code_counts_without_its_docstrings_and_comments():
    def digest(code: str) -> str:
        return Contents.read(".py", code.encode()).digest

    for before, after in (
        ("What it is", "Another"), ("A kind", "Sorts"), ("How it reads", "Why"),
        ("LIMIT = 3", "LIMIT = 3  # at most"),
    ):  # fmt: skip
        assert digest(CODE.replace(before, after)) == digest(CODE), before
    for before, after in (
        ("LIMIT = 3", "LIMIT = 4"), ("return LIMIT", "return -LIMIT"), ("Kind", "Sort"),
        ('"""What it is."""\n', 'LIMIT = 2\n'),
    ):  # fmt: skip
        assert digest(CODE.replace(before, after)) != digest(CODE), before
