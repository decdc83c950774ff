"""Real vLLM on the CPU on a judged benchmark: a model of several turns, and a judge who babbles."""

import subprocess
from pathlib import Path

import pytest

from steadfast.complexbench import benchmark as complexbench
from steadfast.config import load_config
from steadfast.files import read_json, read_jsonl, write_json
from steadfast.registry import as_paths
from vllm_venv import environment, vllm_python

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

HERE = Path(__file__).parent
PART = "zh-decomposed"
TINY = {
    "engine": "vllm",
    "window": 12288,
    "dtype": "float32",
    "engine_operation_args": {"enforce_eager": True},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which a tiny model has answered ten instructions turn by turn, and judged."""
    folder, python = tmp_path_factory.mktemp("vllm_judged"), vllm_python()
    tiny = {**TINY, "model": str(folder / "model")}
    raw = {
        "benchmarks": ["complexbench"],
        "complexbench": {"instances": 10, "decomposition": True},
        "judging": {"attempts": 2},
        "models": {"tiny": tiny},
        "judges": {"babbler": tiny},
    }
    config = load_config(raw)
    write_json(folder / "config.json", raw)
    sources = as_paths(complexbench.sources(config, PART))
    data = folder / sources["data"]["zh"]
    complexbench.write_data(complexbench.data_settings(config, "zh"), "zh", data)
    sources = {"data": {"zh": data}}
    prompts = folder / f"results/complexbench/prompts/{PART}.jsonl"
    complexbench.write_prompts(PART, sources, prompts)
    shorten(prompts)

    def run(*command):
        done = subprocess.run(
            [python, *command], cwd=folder, env=environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    (folder / "text.txt").write_text(data.read_text("utf-8"), encoding="utf-8")
    run(HERE / "tiny_model.py", folder / "model", folder / "text.txt")
    job = HERE / "vllm_job.py", "config.json", "tiny", PART, "complexbench"
    run(*job)
    judging = folder / f"results/complexbench/judging/tiny/{PART}.jsonl"
    complexbench.write_judge_prompts(
        PART,
        prompts,
        sources,
        folder / f"results/complexbench/outputs/tiny/{PART}.jsonl",
        {name: Path(path) for name, path in complexbench.templates(config).items()},
        complexbench.judge_settings(config),
        judging,
    )
    shorten(judging)
    run(*job, "babbler")
    complexbench.score_part(
        PART,
        complexbench.scoring_settings(config),
        prompts,
        sources,
        folder / f"results/complexbench/outputs/tiny/{PART}.jsonl",
        folder / "scores.jsonl",
        {"babbler": verdicts_file(folder)},
    )
    return folder


def shorten(path):
    """Answers of a few tokens, for time's sake."""
    text = path.read_text("utf-8")
    for limit in (2048, 4096, 1024):
        text = text.replace(f'"max_tokens": {limit}', '"max_tokens": 24')
    path.write_text(text, encoding="utf-8")


def verdicts_file(folder):
    return folder / f"results/complexbench/verdicts/babbler/tiny/{PART}.jsonl"


def test_later_turns_are_asked_with_the_earlier_ones(folder):
    prompts = list(read_jsonl(folder / f"results/complexbench/prompts/{PART}.jsonl"))
    outputs = list(read_jsonl(folder / f"results/complexbench/outputs/tiny/{PART}.jsonl"))
    assert [o["sample_id"] for o in outputs] == [p["sample_id"] for p in prompts]
    assert {o["status"] for o in outputs} <= {"ok", "length"}
    found = {o["sample_id"]: o for o in outputs}
    followers = [p for p in prompts if p["follows"]]
    assert len(followers) >= 5
    for prompt in followers:
        before, here = found[prompt["follows"]], found[prompt["sample_id"]]
        assert here["prompt_tokens"] > before["prompt_tokens"] + before["completion_tokens"]


def test_a_judge_who_babbles_is_asked_to_the_limit_and_gives_no_score(folder):
    verdicts = list(read_jsonl(verdicts_file(folder)))
    assert len(verdicts) > 20
    assert {v["attempts"] for v in verdicts} == {2}
    scores = list(read_jsonl(folder / "scores.jsonl"))
    assert {s["status"] for s in scores} == {"invalid"}
    assert {s["total"] for s in scores} == {None}


def test_the_questions_about_an_answer_share_its_prompt(folder):
    identity = read_json(verdicts_file(folder).with_name(f"{PART}.identity.json"))
    assert identity["tokens"]["cached"] / identity["tokens"]["prompt"] > 0.5
