"""A shared model load: the first of a model's jobs also prefetches its siblings' outputs."""

import fcntl
import json
import threading
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.engines.base import EngineFailed
from steadfast.jobs.job import Assignment, Job
from steadfast.stages import one_load
from steadfast.stages.one_load import run_with_siblings

PARTS = ("2k", "3k", "4k")


class Model:
    """A fake ``run_job``, which counts loads, lists the parts that were run, and writes outputs."""

    def __init__(self):
        self.parts_run = []
        self.loads = 0
        self.cached_parts: set[str] = set()
        self.errors: dict[str, UserError] = {}
        self.on_run = lambda part: None
        self.load_seconds = 0.0

    def __call__(self, assignment, operation, loaded=None, folder=None):
        part = assignment.job.part
        self.parts_run.append(part)
        if part not in self.cached_parts and (loaded is None or loaded.model is None):
            self.loads += 1
            if loaded:
                loaded.model = "weights"
                loaded.seconds = self.load_seconds
        self.on_run(part)
        if part in self.errors:
            raise self.errors[part]
        path = outputs(assignment)
        path = folder / path.name if folder else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{part} of {Path(assignment.prompts).read_text()}")
        Provenance.beside(path, assignment.input_digest).write()


@pytest.fixture
def model(monkeypatch) -> Model:
    model = Model()
    monkeypatch.setattr(one_load, "run_job", model)
    monkeypatch.setattr(one_load, "_answer_jointly", lambda *jobs: None)  # see test_joint
    monkeypatch.setattr(one_load, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr("steadfast.base.locks.LOOK_SECONDS", 0.01)
    return model


@pytest.fixture
def parts(tmp_path) -> dict[str, Assignment]:
    """Three parts of one model, whose prompts are there."""
    assignments = {}
    for part in PARTS:
        prompts = tmp_path / f"results/b/prompts/{part}.jsonl"
        prompts.parent.mkdir(parents=True, exist_ok=True)
        prompts.write_text(f"prompts {part}")
        Provenance.beside(prompts, "p1").write()
        job = Job("inference", "b", "m", part)
        params = {"answers": {"engine": "vllm"}}
        files = str(prompts), [], str(tmp_path / "results"), "", "models.m", {str(prompts): "p1"}
        assignments[part] = Assignment(job, params, "l1", *files)
    return assignments


def run(parts: dict[str, Assignment], part: str) -> None:
    """Runs the job of a part, with all three as siblings."""
    run_with_siblings(parts[part], {}, list(parts.values()))


def outputs(assignment: Assignment) -> Path:
    return assignment.path(assignment.job.outputs)


def hidden_files(assignment: Assignment) -> list[str]:
    """Prefetched outputs of all parts."""
    return sorted(path.name for path in outputs(assignment).parent.glob(".*"))


def test_one_load_runs_all_parts_and_each_job_writes_its_own(model, parts):
    run(parts, "3k")
    assert (model.parts_run, model.loads) == (["3k", "2k", "4k"], 1)
    folder = outputs(parts["2k"]).parent
    assert [path.name for path in folder.glob("*.jsonl")] == ["3k.jsonl"]

    for part in ("2k", "4k"):
        run(parts, part)
        assert outputs(parts[part]).read_text() == f"{part} of prompts {part}"
    assert (len(model.parts_run), model.loads) == (3, 1)
    assert hidden_files(parts["2k"]) == []


def test_job_with_complete_journal_does_not_load(model, parts):
    model.cached_parts = set(PARTS)
    run(parts, "2k")
    assert (model.parts_run, model.loads) == (["2k"], 0)


def test_job_without_siblings_takes_no_lock(model, parts):
    run_with_siblings(parts["2k"], {}, [])
    assert model.parts_run == ["2k"]
    assert not parts["2k"].path("journal").exists()


def test_missing_or_outdated_prompts_are_not_prefetched(model, parts):
    Path(parts["3k"].prompts).unlink()
    parts["4k"] = replace(parts["4k"], made_from={parts["4k"].prompts: "of another config"})
    run(parts, "2k")
    assert model.parts_run == ["2k"]


def write_at_once(write):
    write()


def write_later(write):
    threading.Timer(0.1, write).start()


@pytest.mark.parametrize(
    ("load_seconds", "write_prompts"),
    [(0.0, write_at_once), (60.0, write_later)],
    ids=["written during the run", "waited for as long as another load would take"],
)
def test_late_prompts_are_prefetched(model, parts, load_seconds, write_prompts):
    prompts = Path(parts["4k"].prompts)
    write = partial(prompts.write_text, prompts.read_text())
    prompts.unlink()
    model.load_seconds = load_seconds
    model.on_run = lambda part: part == "3k" and write_prompts(write)
    run(parts, "2k")
    assert (model.parts_run, model.loads) == (["2k", "3k", "4k"], 1)


def test_part_with_up_to_date_outputs_is_not_prefetched(model, parts):
    current = outputs(parts["3k"])
    outdated = outputs(parts["4k"])
    current.parent.mkdir(parents=True)
    for path, digest in ((current, "l1"), (outdated, "l0")):
        path.write_text("of an earlier job")
        Provenance.beside(path, digest).write()
    run(parts, "2k")
    assert model.parts_run == ["2k", "4k"]
    assert outdated.read_text() == "of an earlier job"


@pytest.mark.parametrize(
    "change",
    [
        lambda part: Path(part.prompts).write_text("other prompts") and part,
        lambda part: replace(part, input_digest="l2"),
        lambda part: replace(part, params={"answers": {"engine": "vllm", "seed": 2}}),
    ],
)
def test_outdated_prefetched_outputs_are_not_used(model, parts, change):
    run(parts, "2k")
    changed = change(parts["3k"])
    run_with_siblings(changed, {}, list(parts.values()))
    assert model.parts_run == ["2k", "3k", "4k", "3k"]
    assert outputs(changed).read_text() == f"3k of {Path(changed.prompts).read_text()}"
    assert ".3k.ahead" not in hidden_files(changed)


def test_job_without_siblings_removes_its_prefetched_outputs(model, parts):
    run(parts, "2k")
    assert hidden_files(parts["3k"]) == [".3k.ahead", ".4k.ahead"]
    run_with_siblings(parts["3k"], {}, [])
    assert hidden_files(parts["3k"]) == [".4k.ahead"]


def test_failure_of_a_sibling_is_shown_and_fails_its_own_job(model, parts, capsys):
    model.errors["3k"] = UserError("a prompt does not fit")
    run(parts, "2k")
    assert model.parts_run == ["2k", "3k", "4k"]
    assert "b 3k m: a prompt does not fit" in capsys.readouterr().out
    run(parts, "4k")
    assert len(model.parts_run) == 3
    with pytest.raises(UserError, match="does not fit"):
        run(parts, "3k")


def test_job_that_fails_has_prefetched_its_siblings(model, parts):
    model.errors["2k"] = UserError("3 of 461 requests failed")
    with pytest.raises(UserError, match="3 of 461"):
        run(parts, "2k")
    assert (model.parts_run, model.loads) == (["2k", "3k", "4k"], 1)
    run(parts, "3k")
    assert outputs(parts["3k"]).read_text() == "3k of prompts 3k"


def test_failed_engine_ends_prefetching(model, parts):
    model.errors["3k"] = EngineFailed("the engine died")
    run(parts, "2k")
    assert model.parts_run == ["2k", "3k"]
    assert outputs(parts["2k"]).read_text() == "2k of prompts 2k"

    model.errors["4k"] = EngineFailed("no memory")
    with pytest.raises(EngineFailed, match="no memory"):
        run(parts, "4k")
    assert model.parts_run == ["2k", "3k", "4k"]


@pytest.fixture
def lock(parts):
    """The file of the lock on the model's load."""
    path = parts["2k"].path("journal/.locks/models.m.lock")
    path.parent.mkdir(parents=True)
    with open(path, "a") as file:
        yield file


def test_prefetched_outputs_are_used_while_the_load_is_locked(model, parts, lock):
    run(parts, "2k")
    fcntl.flock(lock, fcntl.LOCK_EX)
    run(parts, "3k")
    assert outputs(parts["3k"]).read_text() == "3k of prompts 3k"
    assert model.loads == 1


def test_job_waits_while_the_load_is_locked(model, parts, lock):
    fcntl.flock(lock, fcntl.LOCK_EX)
    job = threading.Thread(target=run, args=(parts, "2k"))
    job.start()
    time.sleep(0.1)
    assert model.parts_run == []
    fcntl.flock(lock, fcntl.LOCK_UN)
    job.join(timeout=60)
    assert model.parts_run == ["2k", "3k", "4k"]


def test_assignment_survives_json(parts):
    assignment = parts["2k"]
    parsed = Assignment.plain(json.loads(json.dumps(asdict(assignment))))
    assert parsed == assignment and parsed.fingerprint == assignment.fingerprint
