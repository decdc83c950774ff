"""What one job of the rules that ask is called, and when it can be done."""

from dataclasses import replace

import pytest

from steadfast.base.provenance import Provenance
from steadfast.jobs.job import Assignment, Job, Journals

ANSWERS = Job("inference", "lifbench", "gpt", "4k")
VERDICTS = Job("verdicts", "cfbench", "gpt", "zh", "wise")
REWRITES = Job("rewrites", "lifbench", "writer", "1")


def test_each_kind_of_job_has_files_of_its_own():
    for job, outputs, journal, log in (
        (
            ANSWERS,
            "lifbench/outputs/gpt/4k.jsonl",
            "journal/lifbench/gpt/4k.jsonl",
            "logs/lifbench/inference/gpt/4k.log",
        ),
        (
            VERDICTS,
            "cfbench/verdicts/wise/gpt/zh.jsonl",
            "journal/verdicts/wise/cfbench.gpt.zh.jsonl",
            "logs/cfbench/verdicts/wise/gpt/zh.log",
        ),
        (
            REWRITES,
            "lifbench/rewrites/writer/1.jsonl",
            "journal/rewrites/writer/lifbench.1.jsonl",
            "logs/lifbench/rewrites/writer/1.log",
        ),
    ):
        assert (job.outputs, job.journal, job.log) == (outputs, journal, log), job
        assert job.provenance == outputs.replace(".jsonl", ".provenance.json"), job


def test_a_job_is_told_by_its_wildcards_named_after_who_answers_and_has_journals_of_its_own():
    given = {"benchmark": "lifbench", "part": "4k", "model": "gpt"}
    assert Job.of(given) == ANSWERS
    assert Job.of({**given, "benchmark": "cfbench", "part": "zh", "judge": "wise"}) == VERDICTS
    assert Job.of({"benchmark": "lifbench", "part": "1", "rewriter": "writer"}) == REWRITES
    assert [job.name for job in (ANSWERS, VERDICTS, REWRITES)] == ["gpt", "wise", "writer"]
    assert [job.role for job in (ANSWERS, VERDICTS, REWRITES)] == ["models", "judges", "rewriters"]
    assert VERDICTS.title == "cfbench zh gpt, judge wise"
    assert ANSWERS.title == "lifbench 4k gpt"
    assert VERDICTS.journal != replace(VERDICTS, model="other").journal


def test_a_models_journals_lie_by_benchmark_and_a_judges_in_one_folder(tmp_path):
    for name in ("lifbench", "cfbench", "verdicts", "rewrites"):
        (tmp_path / "journal" / name).mkdir(parents=True)
    found = list(Journals(tmp_path, "models", "gpt"))
    assert found == [tmp_path / "journal" / name / "gpt" for name in ("cfbench", "lifbench")]
    assert list(Journals(tmp_path, "judges", "wise")) == [tmp_path / "journal/verdicts/wise"]
    assert list(Journals(tmp_path / "nowhere", "models", "gpt")) == []


@pytest.fixture
def assignment(tmp_path) -> Assignment:
    """A job whose prompts and contexts are there."""
    prompts = tmp_path / "prompts.jsonl"
    contexts = tmp_path / "contexts.jsonl"
    for path in (prompts, contexts):
        path.write_text("{}\n")
        Provenance.beside(path, path.stem).write()
    made_from = {str(path): path.stem for path in (prompts, contexts)}
    inputs = str(prompts), [str(contexts)], str(tmp_path)
    return Assignment(ANSWERS, {"seed": 1}, "lin", *inputs, made_from=made_from)


def test_a_job_is_ready_with_its_sources_and_done_with_its_outputs(assignment, tmp_path):
    assert assignment.ready
    contexts = tmp_path / "contexts.jsonl"
    assert not replace(assignment, made_from={str(contexts): "of an earlier config"}).ready
    contexts.unlink()
    assert not assignment.ready
    contexts.write_text("{}\n")
    (tmp_path / "prompts.provenance.json").unlink()  # as while they are made
    assert not assignment.ready
    assert not assignment.done
    outputs = tmp_path / ANSWERS.outputs
    outputs.parent.mkdir(parents=True)
    outputs.write_text("{}\n")
    inputs = (tmp_path / "prompts.jsonl",)
    Provenance.beside(outputs, "lin", inputs=inputs, results=tmp_path).write()
    assert assignment.done
    assert not replace(assignment, input_digest="other").done
    inputs[0].write_text("{ }\n")
    assert not assignment.done


def test_a_fingerprint_is_of_who_is_asked_what(assignment, tmp_path):
    first = assignment.fingerprint
    assert len(first) == 16 and first == replace(assignment, load="models.gpt").fingerprint
    others = [
        replace(assignment, job=VERDICTS),
        replace(assignment, params={"seed": 2}),
        replace(assignment, input_digest="other"),
        replace(assignment, sources=[]),
    ]
    found = {other.fingerprint for other in others}
    (tmp_path / "prompts.jsonl").write_text("{ }\n")
    found.add(assignment.fingerprint)
    assert len(found | {first}) == len(others) + 2
