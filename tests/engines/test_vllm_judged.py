"""Real vLLM on the CPU on a judged benchmark: a model of several turns, and a judge who babbles."""

import subprocess
from pathlib import Path

import pytest

from prepared import Prepared
from steadfast.base.files import read_json, read_jsonl, write_json
from steadfast.base.resources import resource
from vllm_venv import environment, warm_vllm

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

HERE = Path(__file__).parent
PART = "zh-decomposed"
TINY = {
    "engine": "vllm",
    "window": 12288,
    "engine_args": {"dtype": "float32"},
    "engine_operation_args": {"enforce_eager": True},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Prepared:
    """Ten instructions that a tiny model has answered turn by turn, and judged."""
    folder, python = tmp_path_factory.mktemp("vllm_judged"), warm_vllm()
    tiny = {**TINY, "model": str(folder / "model")}
    raw = {
        "benchmarks": ["complexbench"],
        "complexbench": {"source": "local", "directory": str(folder), "decomposition": True},
        "judging": {"attempts": 2},
        "models": {"tiny": tiny},
        "judges": {"babbler": tiny},
    }
    instances = read_json(resource("complexbench/sample.json"))[:10]
    write_json(folder / "data_final.json", instances)
    write_json(folder / "config.json", raw)
    built = Prepared(raw, folder / "results")
    built.make_data()
    built.write_prompts()
    shorten(built.prompts(PART))

    def run(*command):
        done = subprocess.run(
            [python, *command], cwd=folder, env=environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    ((_, _, data),) = built.part(PART).sources
    (folder / "text.txt").write_text(data.read_text("utf-8"), encoding="utf-8")
    run(HERE / "tiny_model.py", folder / "model", folder / "text.txt")
    job = HERE / "vllm_job.py", "config.json", "tiny", PART
    run(*job)
    built.ask_judge("tiny", PART)
    shorten(built.judging("tiny", PART))
    run(*job, "babbler")
    built.score("tiny", PART, "babbler")
    return built


def shorten(path):
    """Answers of a few tokens, for time's sake."""
    text = path.read_text("utf-8")
    for limit in (2048, 4096, 1024):
        text = text.replace(f'"max_tokens": {limit}', '"max_tokens": 24')
    path.write_text(text, encoding="utf-8")


def test_later_turns_are_asked_with_the_earlier_ones(built):
    prompts = list(read_jsonl(built.prompts(PART)))
    outputs = list(read_jsonl(built.outputs("tiny", PART)))
    assert [o["sample_id"] for o in outputs] == [p["sample_id"] for p in prompts]
    assert {o["status"] for o in outputs} <= {"ok", "length"}
    found = {o["sample_id"]: o for o in outputs}
    followers = [p for p in prompts if p["follows"]]
    assert len(followers) >= 5
    for prompt in followers:
        before, here = found[prompt["follows"]], found[prompt["sample_id"]]
        assert here["prompt_tokens"] > before["prompt_tokens"] + before["completion_tokens"]


def test_a_judge_who_babbles_is_asked_to_the_limit_and_gives_no_score(built):
    verdicts = list(read_jsonl(built.verdicts("babbler", "tiny", PART)))
    assert len(verdicts) > 20
    assert {v["attempts"] for v in verdicts} == {2}
    scores = list(read_jsonl(built.scores("tiny", PART)))
    assert {s["status"] for s in scores} == {"invalid"}
    assert {s["total"] for s in scores} == {None}


def test_the_questions_about_an_answer_share_its_prompt(built):
    verdicts = built.verdicts("babbler", "tiny", PART)
    identity = read_json(verdicts.with_suffix(".identity.json"))
    assert identity["tokens"]["cached"] / identity["tokens"]["prompt"] > 0.5
