"""Input digests follow the contents of the user's files, in the steps that read them."""

import os
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256
from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.jobs import digests
from steadfast.jobs.digests import Contents, digest
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


def input_digests(config) -> InputDigests:
    return InputDigests(Evaluation(load_config(config)))


def step_digests(config) -> dict[str, str]:
    digests = input_digests(config)
    job = ("cfbench", "old", "zh")
    return {
        "outputs": digests.outputs(*job).input_digest,
        "judging": digests.judge_prompts(*job).input_digest,
        "scores": digests.scores(*job).input_digest,
        "metrics": digests.metrics("cfbench").input_digest,
    }


@pytest.mark.parametrize(
    ("file", "readers"),
    [
        ("labels.jsonl", {"metrics"}),
        ("judge.txt", {"judging", "scores", "metrics"}),
        ("replies.jsonl", {"outputs", "judging", "scores", "metrics"}),
    ],
)
def test_changed_file_changes_its_readers_despite_an_older_time(config, file, readers):
    before = step_digests(config)
    Path(file).write_text('{"other": 1}\n')
    os.utime(file, (0, 0))
    after = step_digests(config)
    assert {step for step in before if before[step] != after[step]} == readers


def test_replaced_corpus_changes_its_data_despite_an_older_time(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    corpus = tmp_path / "corpora/alpaca/alpaca_data.json"
    corpus.parent.mkdir(parents=True)
    local = {"source": "local", "directory": str(tmp_path / "corpora")}
    raw = {"benchmarks": ["lifbench"], "models": {"m": {"engine": "reference"}}, "corpora": local}
    digests = set()
    for text in ("Count to ten.", "Coast to Coast."):
        corpus.write_text(text)
        os.utime(corpus, (0, 0))
        digests.add(input_digests(raw).data("corpora/alpaca.jsonl").input_digest)
    assert len(digests) == 2


def test_file_saved_unchanged_changes_no_digest(config):
    before = step_digests(config)
    Path("labels.jsonl").write_text("{}\n")
    assert step_digests(config) == before


def test_another_judge_changes_the_digest_of_scores(config):
    before = step_digests(config)
    after = step_digests({**config, "judges": {"k": config["judges"]["j"]}})
    assert before["judging"] == after["judging"]
    assert before["scores"] != after["scores"]


def test_nondeterminism_counts_if_measured_of_the_configured_outputs(tmp_path):
    model = {"engine": "openai", "model": "m"}
    config = {"benchmarks": ["lifbench"], "models": {"m": model}}

    def measured(**changes):
        return input_digests(config | changes).measured_nondeterminism(tmp_path)

    assert measured() == {}
    path = tmp_path / "nondeterminism/lifbench/m/4k.csv"
    path.parent.mkdir(parents=True)
    path.write_text("task,cache,answer_sd\n")
    assert measured() == {}
    digest = input_digests(config).nondeterminism("lifbench", "m", "4k").input_digest
    Provenance.beside(path, digest).write()
    files = {"nondeterminism/lifbench/m/4k.csv": [digest, file_sha256(path)]}
    assert measured() == files
    assert measured(nondeterminism={"requests": 9}) == files
    assert measured(models={"m": {**model, "temperature": 1.0}}) == {}
    assert measured(lifbench={"rubric": "corrected"}) == {}


CODE = '''"""What it is."""

LIMIT = 3


class Kind:
    """A kind."""

    def read(self):
        """How it reads."""
        return LIMIT
'''


def test_packaged_files_that_code_names_are_found():
    code = """
from steadfast.base import resources

WEIGHTS = resources.facts("weights.yaml")
TEXT = resources.resource("text.txt", __package__)
MODEL = resources.facts(f"{WEIGHTS}.yaml")
OTHER = open("other.txt")
"""
    files = Contents.read(".py", code.encode()).resources
    assert files == [("weights.yaml", False), ("text.txt", True)]


def test_imports_of_code_are_all_but_those_of_type_checkers():
    code = """
import json
from a.b import c
from . import d
if TYPE_CHECKING:
    import e
else:
    from ..f import g
"""
    imports = Contents.read(".py", code.encode()).imports
    assert imports == [".", "..f", "..f.g", ".d", "a.b", "a.b.c", "json"]


def test_component_without_its_object_is_refused():
    assert digest("steadfast.base.names", "steadfast.base.resources:facts")
    with pytest.raises(UserError, match=r"resources has no 'fact'; did you mean 'facts'"):
        digest("steadfast.base.names", "steadfast.base.resources:fact")


def test_digest_of_code_leaves_out_docstrings_and_comments():
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


def test_changed_reader_reads_files_anew(tmp_path, monkeypatch):
    caches = {digests._cache_file()}
    changed = tmp_path / "digests.py"
    changed.write_text(Path(digests.__file__).read_text() + "CHANGED = True\n")
    monkeypatch.setattr(digests, "__file__", str(changed))
    caches.add(digests._cache_file())
    assert len(caches) == 2
