"""A job that queries a model: its files and names, and when it is ready or done."""

from dataclasses import replace

import pytest

from steadfast.base.provenance import Provenance
from steadfast.jobs.job import Assignment, Job, Journals

RESPONSES = Job("inference", "lifbench", "gpt", "4k")
VERDICTS = Job("verdicts", "cfbench", "gpt", "zh", "wise")
REWRITES = Job("rewrites", "lifbench", "writer", "1")


def test_each_rule_has_its_own_files():
    for job, outputs, journal, log in (
        (RESPONSES, "lifbench/outputs/gpt/4k", "lifbench/gpt/4k", "lifbench/inference/gpt/4k"),
        (VERDICTS, "cfbench/verdicts/wise/gpt/zh", "verdicts/wise/cfbench.gpt.zh",
         "cfbench/verdicts/wise/gpt/zh"),
        (REWRITES, "lifbench/rewrites/writer/1", "rewrites/writer/lifbench.1",
         "lifbench/rewrites/writer/1"),
    ):  # fmt: skip
        assert (job.outputs, job.provenance) == (f"{outputs}.jsonl", f"{outputs}.provenance.json")
        assert (job.journal, job.log) == (f"journal/{journal}.jsonl", f"logs/{log}.log")


def test_job_follows_from_its_wildcards():
    responses = {"benchmark": "lifbench", "part": "4k", "model": "gpt"}
    verdicts = {"benchmark": "cfbench", "part": "zh", "model": "gpt", "judge": "wise"}
    assert Job.of(responses) == RESPONSES
    assert Job.of(verdicts) == VERDICTS
    assert Job.of({"benchmark": "lifbench", "part": "1", "rewriter": "writer"}) == REWRITES


def test_job_is_named_after_the_model_that_it_queries():
    assert [job.name for job in (RESPONSES, VERDICTS, REWRITES)] == ["gpt", "wise", "writer"]
    roles = [job.role for job in (RESPONSES, VERDICTS, REWRITES)]
    assert roles == ["models", "judges", "rewriters"]
    assert VERDICTS.title == "cfbench zh gpt, judge wise"
    assert RESPONSES.title == "lifbench 4k gpt"
    assert VERDICTS.journal != replace(VERDICTS, model="other").journal


def test_journals_of_a_model_are_by_benchmark_and_of_a_judge_in_one_folder(tmp_path):
    journal = tmp_path / "journal"
    for name in ("lifbench", "cfbench", "verdicts", "rewrites"):
        (journal / name).mkdir(parents=True)
    folders = [journal / "cfbench/gpt", journal / "lifbench/gpt"]
    assert list(Journals(tmp_path, "models", "gpt")) == folders
    assert list(Journals(tmp_path, "judges", "wise")) == [journal / "verdicts/wise"]
    assert list(Journals(tmp_path / "nowhere", "models", "gpt")) == []


@pytest.fixture
def assignment(tmp_path) -> Assignment:
    """A job whose prompts and contexts exist."""
    prompts = tmp_path / "prompts.jsonl"
    contexts = tmp_path / "contexts.jsonl"
    for path in (prompts, contexts):
        path.write_text("{}\n")
        Provenance.beside(path, path.stem).write()
    made_from = {str(path): path.stem for path in (prompts, contexts)}
    inputs = (str(prompts), [str(contexts)], str(tmp_path))
    return Assignment(RESPONSES, {"seed": 1}, "lin", *inputs, made_from=made_from)


def test_job_is_ready_once_its_inputs_are_made(assignment, tmp_path):
    assert assignment.ready
    contexts = tmp_path / "contexts.jsonl"
    assert not replace(assignment, made_from={str(contexts): "of an earlier config"}).ready
    contexts.unlink()
    assert not assignment.ready
    contexts.write_text("{}\n")
    (tmp_path / "prompts.provenance.json").unlink()  # as while they are made
    assert not assignment.ready


def test_job_is_done_until_its_digest_or_prompts_change(assignment, tmp_path):
    assert not assignment.done
    outputs = tmp_path / RESPONSES.outputs
    outputs.parent.mkdir(parents=True)
    outputs.write_text("{}\n")
    prompts = tmp_path / "prompts.jsonl"
    Provenance.beside(outputs, "lin", inputs=(prompts,), results=tmp_path).write()
    assert assignment.done
    assert not replace(assignment, input_digest="other").done
    prompts.write_text("{ }\n")
    assert not assignment.done


def test_fingerprint_changes_with_job_params_digest_and_files(assignment, tmp_path):
    fingerprint = assignment.fingerprint
    assert len(fingerprint) == 16
    assert fingerprint == replace(assignment, load="models.gpt").fingerprint
    changes = [{"job": VERDICTS}, {"params": {"seed": 2}}, {"input_digest": "other"}]
    changes.append({"sources": []})
    fingerprints = {replace(assignment, **change).fingerprint for change in changes}
    (tmp_path / "prompts.jsonl").write_text("{ }\n")
    fingerprints |= {fingerprint, assignment.fingerprint}
    assert len(fingerprints) == len(changes) + 2
