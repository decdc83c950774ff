"""Real vLLM on the CPU with a reasoning model, offline and served; sampled answers."""

import shutil
from itertools import product

import pandas as pd
import pytest

from steadfast.base.files import read_json, read_jsonl, write_json
from test_vllm import LENGTHS, serving
from vllm_jobs import HERE, TINY, Jobs

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

KINDS = list(product(("special", "plain"), ("closed", "prefilled")))
TAGS = {"tags": ["<think>", "</think>"], "tokens": 100}
REASONING = "abcdef"
ANSWER = "4"
# vLLM's CPU build cannot sample by seed while a prompt is read in pieces.
WHOLE_PROMPTS = {"enable_chunked_prefill": False, "max_num_batched_tokens": TINY["window"]}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    jobs = Jobs(tmp_path_factory.mktemp("thinking"), LENGTHS)
    for kind in KINDS:
        jobs.run_python(HERE / "thinking_model.py", jobs.folder / "-".join(kind), *kind)
    return jobs


def run(jobs: Jobs, name: str, settings: dict) -> tuple[pd.DataFrame, str]:
    """The outputs of a model with those settings, and the messages of its job."""
    jobs.configure(name, settings)
    messages = jobs.run(name, "2k")
    return pd.DataFrame(jobs.outputs(name, "2k")), messages


def run_offline(jobs: Jobs, name: str, kind: tuple[str, str], **settings):
    model = str(jobs.folder / "-".join(kind))
    return run(jobs, name, {**TINY, "window": 16384, "model": model, **settings})


def separated(outputs: pd.DataFrame) -> list[tuple[str, str, str]]:
    """The distinct statuses, reasoning and responses."""
    columns = outputs[["status", "reasoning", "response"]].drop_duplicates()
    return list(columns.itertuples(index=False, name=None))


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_offline_answer_is_separated_from_reasoning(jobs, kind):
    outputs, messages = run_offline(jobs, "-".join(kind), kind, reasoning=TAGS)
    assert separated(outputs) == [("ok", REASONING, ANSWER)]
    assert set(outputs.reasoning_tokens) == {len(REASONING)}
    assert "contain reasoning" not in messages


def test_truncated_reasoning_is_unfinished_and_has_no_score(jobs):
    limits = {"max_tokens": 2, "reasoning": {**TAGS, "tokens": 2}}
    outputs, messages = run_offline(jobs, "truncated", ("plain", "prefilled"), **limits)
    assert separated(outputs) == [("unfinished", "abcd", "")]
    assert "end before the reasoning does and have no score" in messages
    jobs.built.score("truncated", "2k")
    assert {score["total"] for score in read_jsonl(jobs.built.scores("truncated", "2k"))} == {None}


def test_undeclared_reasoning_is_reported(jobs):
    outputs, messages = run_offline(jobs, "undeclared", ("plain", "closed"))
    assert set(outputs.status) == {"ok"}
    assert set(outputs.response) == {ANSWER}
    assert "contain reasoning, which uses up the response's output limit; set reasoning" in messages


@pytest.mark.parametrize("options", [["--reasoning-parser", "qwen3"], []], ids=["parser", "tags"])
def test_served_answer_is_the_same_from_fields_and_from_tags(jobs, options):
    jobs.model = jobs.folder / "plain-closed"
    with serving(jobs, *options) as url:
        served = {"engine": "openai", "model": "tiny", "base_url": url, "api_key_env": None}
        reasoning = {"parser": "qwen3", "tokens": 100}
        outputs, _ = run(jobs, f"served-{len(options)}", {**served, "reasoning": reasoning})
    assert separated(outputs) == [("ok", REASONING, ANSWER)]


def test_repeats_of_a_sampled_answer_differ_and_are_cached(jobs):
    sampling = {"temperature": 2.0, "top_p": 0.9, "top_k": 50, "min_p": 0.0, "seed": 7}
    settings = {**TINY, "model": str(jobs.folder / "model"), **sampling}
    settings["engine_operation_args"] = {**TINY["engine_operation_args"], **WHOLE_PROMPTS}
    outputs, _ = run(jobs, "sampled", {**settings, "repeats": 3})
    responses = outputs.groupby("sample_id").response
    assert (responses.size() == 3).all()
    assert (responses.nunique() == 3).all()
    answers = jobs.provenance("sampled", "2k")["answers"]
    expected = {"temperature": 2.0, "top_p": 0.9, "top_k": 50, "seed": 7}
    assert expected.items() <= answers.items()
    records = jobs.outputs("sampled", "2k")
    run(jobs, "sampled", {**settings, "repeats": 4})
    more_records = jobs.outputs("sampled", "2k")
    assert len(more_records) == len(records) * 4 // 3
    assert more_records[: len(records)] == records


def test_default_sampling_is_that_of_the_models_config(jobs):
    model = jobs.folder / "with_sampling"
    shutil.copytree(jobs.folder / "model", model)
    config = read_json(model / "generation_config.json")
    config |= {"do_sample": True, "temperature": 0.6, "top_p": 0.95}
    write_json(model / "generation_config.json", config)
    settings = {**TINY, "model": str(model), "temperature": None, "top_k": 20}
    settings["engine_operation_args"] = {**TINY["engine_operation_args"], **WHOLE_PROMPTS}
    outputs, _ = run(jobs, "decoding", settings)
    answers = jobs.provenance("decoding", "2k")["answers"]
    expected = {"temperature": 0.6, "top_p": 0.95, "top_k": 20}
    assert expected.items() <= answers.items()
    assert set(outputs.status) <= {"ok", "length"}
