"""The first of a model's jobs asks for its siblings; what it leaves alone, and what they take."""

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
    """In place of ``run_job``: notes what is asked, loads what is not in ``known``, and writes."""

    def __init__(self):
        self.asked = []
        self.loads = 0
        self.known: set[str] = set()
        self.errors: dict[str, UserError] = {}
        self.meanwhile = lambda part: None
        self.seconds = 0.0

    def __call__(self, asked, operation, loaded=None, folder=None):
        part = asked.job.part
        self.asked.append(part)
        if part not in self.known and (loaded is None or loaded.model is None):
            self.loads += 1
            if loaded:
                loaded.model = "weights"
                loaded.seconds = self.seconds
        self.meanwhile(part)
        if part in self.errors:
            raise self.errors[part]
        path = asked.path(asked.job.outputs)
        path = folder / path.name if folder else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{part} of {Path(asked.prompts).read_text()}")
        Provenance.beside(path, asked.input_digest).write()


@pytest.fixture
def model(monkeypatch) -> Model:
    model = Model()
    monkeypatch.setattr(one_load, "run_job", model)
    monkeypatch.setattr(one_load, "_answer_jointly", lambda *of: None)  # test_joint
    monkeypatch.setattr(one_load, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr("steadfast.base.locks.LOOK_SECONDS", 0.01)
    return model


@pytest.fixture
def parts(tmp_path) -> dict[str, Assignment]:
    """Three parts of one model, whose prompts are made."""
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


def ask(parts: dict[str, Assignment], part: str) -> None:
    """Runs a part's job, which is told of all three."""
    run_with_siblings(parts[part], {}, list(parts.values()))


def outputs(asked: Assignment) -> Path:
    return asked.path(asked.job.outputs)


def text(asked: Assignment) -> str:
    return outputs(asked).read_text()


def hidden(asked: Assignment) -> list[str]:
    return sorted(path.name for path in outputs(asked).parent.glob(".*"))


def test_one_load_asks_all_parts_and_each_job_writes_its_own_output_only(model, parts):
    ask(parts, "3k")
    assert (model.asked, model.loads) == (["3k", "2k", "4k"], 1)
    made = outputs(parts["2k"]).parent
    assert [path.name for path in made.glob("*.jsonl")] == ["3k.jsonl"]

    for part in ("2k", "4k"):
        ask(parts, part)
        assert text(parts[part]) == f"{part} of prompts {part}"
    assert (len(model.asked), model.loads) == (3, 1)
    assert hidden(parts["2k"]) == []


def test_a_part_whose_journal_is_whole_loads_nothing_and_asks_no_other(model, parts):
    model.known = set(PARTS)
    ask(parts, "2k")
    assert (model.asked, model.loads) == (["2k"], 0)


def test_a_job_that_is_alone_takes_no_lock(model, parts):
    run_with_siblings(parts["2k"], {}, [])
    assert model.asked == ["2k"]
    assert not parts["2k"].path("journal").exists()


def test_prompts_that_are_not_made_yet_are_left_alone(model, parts):
    Path(parts["3k"].prompts).unlink()
    parts["4k"] = replace(parts["4k"], made_from={parts["4k"].prompts: "of another config"})
    ask(parts, "2k")
    assert model.asked == ["2k"]


@pytest.fixture
def make_late(parts):
    """Makes the prompts of 4k, which are not there when the first job starts."""
    prompts = Path(parts["4k"].prompts)
    content = prompts.read_text()
    prompts.unlink()
    return partial(prompts.write_text, content)


def test_prompts_that_are_made_meanwhile_are_asked_too(model, parts, make_late):
    model.meanwhile = lambda part: part == "3k" and make_late()
    ask(parts, "2k")
    assert (model.asked, model.loads) == (["2k", "3k", "4k"], 1)


def test_prompts_are_waited_for_as_long_as_another_load_would_take(model, parts, make_late):
    model.seconds = 60.0
    model.meanwhile = lambda part: part == "3k" and threading.Timer(0.1, make_late).start()
    ask(parts, "2k")
    assert (model.asked, model.loads) == (["2k", "3k", "4k"], 1)


def test_a_part_whose_own_job_has_run_is_not_asked_again(model, parts):
    done = outputs(parts["3k"])
    done.parent.mkdir(parents=True)
    done.write_text("done in this run")
    Provenance.beside(done, "l1").write()
    old = outputs(parts["4k"])
    old.write_text("of another config")
    Provenance.beside(old, "l0").write()
    ask(parts, "2k")
    assert model.asked == ["2k", "4k"]
    assert old.read_text() == "of another config"


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: Path(asked.prompts).write_text("other prompts") and asked,
        lambda asked: replace(asked, input_digest="l2"),
        lambda asked: replace(asked, params={"answers": {"engine": "vllm", "seed": 2}}),
    ],
)
def test_what_was_written_ahead_of_other_prompts_or_settings_is_not_taken(model, parts, change):
    ask(parts, "2k")
    changed = change(parts["3k"])
    run_with_siblings(changed, {}, list(parts.values()))
    assert model.asked == ["2k", "3k", "4k", "3k"]
    assert text(changed) == f"3k of {Path(changed.prompts).read_text()}"
    assert ".3k.ahead" not in hidden(changed)


def test_a_job_that_is_alone_removes_what_a_killed_run_wrote_ahead(model, parts):
    ask(parts, "2k")
    assert ".3k.ahead" in hidden(parts["3k"])
    run_with_siblings(parts["3k"], {}, [])
    assert hidden(parts["3k"]) == [".4k.ahead"]


def test_a_part_that_fails_fails_alone(model, parts, capsys):
    model.errors["3k"] = UserError("a prompt does not fit")
    ask(parts, "2k")
    assert model.asked == ["2k", "3k", "4k"]
    assert "b 3k m: a prompt does not fit" in capsys.readouterr().out
    ask(parts, "4k")
    assert len(model.asked) == 3
    with pytest.raises(UserError, match="does not fit"):
        ask(parts, "3k")


def test_a_job_whose_own_part_fails_has_asked_the_others_with_its_load(model, parts):
    model.errors["2k"] = UserError("3 of 461 requests failed")
    with pytest.raises(UserError, match="3 of 461"):
        ask(parts, "2k")
    assert (model.asked, model.loads) == (["2k", "3k", "4k"], 1)
    ask(parts, "3k")
    assert text(parts["3k"]) == "3k of prompts 3k"


def test_a_lost_engine_is_asked_nothing_more(model, parts):
    model.errors["3k"] = EngineFailed("the engine died")
    ask(parts, "2k")
    assert model.asked == ["2k", "3k"]
    assert text(parts["2k"]) == "2k of prompts 2k"

    model.errors["4k"] = EngineFailed("no memory")
    with pytest.raises(EngineFailed, match="no memory"):
        ask(parts, "4k")
    assert model.asked == ["2k", "3k", "4k"]


def test_a_waiting_job_takes_what_it_waits_for_before_the_load_is_free(model, parts):
    ask(parts, "2k")
    lock = parts["2k"].path("journal/.locks/models.m.lock")
    with open(lock, "a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ask(parts, "3k")
    assert text(parts["3k"]) == "3k of prompts 3k"
    assert model.loads == 1


def test_a_job_waits_while_another_holds_the_model(model, parts):
    lock = parts["2k"].path("journal/.locks/models.m.lock")
    lock.parent.mkdir(parents=True)
    waiting = threading.Thread(target=ask, args=(parts, "2k"))
    with open(lock, "a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting.start()
        time.sleep(0.1)
        assert model.asked == []
    waiting.join(timeout=60)
    assert model.asked == ["2k", "3k", "4k"]


def test_what_is_handed_on_is_plain(parts):
    one = parts["2k"]
    handed = Assignment.plain(json.loads(json.dumps(asdict(one))))
    assert handed == one and handed.fingerprint == one.fingerprint
