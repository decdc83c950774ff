"""Real vLLM on the CPU with a model that thinks: offline and served, reasoning apart."""

import json
import shutil
from itertools import product

import pytest

from steadfast.base.files import read_jsonl
from test_vllm import LENGTHS, serving
from vllm_jobs import TINY, Jobs

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

KINDS = list(product(("special", "plain"), ("closed", "prefilled")))
TAGS = {"tags": ["<think>", "</think>"], "tokens": 100}
REASONING = "abcdef"
ANSWER = "4"
# vLLM's CPU build cannot sample by seed while a prompt is read in pieces.
WHOLE_PROMPTS = {"enable_chunked_prefill": False, "max_num_batched_tokens": TINY["window"]}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    found = Jobs(tmp_path_factory.mktemp("thinking"), LENGTHS)
    for kind in KINDS:
        found.make("thinking_model.py", found.folder / "-".join(kind), *kind)
    return found


def answered(jobs: Jobs, kind: tuple[str, str], **settings) -> tuple[list[dict], str]:
    """The outputs of a thinking model asked offline, and what the job said."""
    name = f"{'-'.join(kind)}-{len(jobs.models)}"
    model = str(jobs.folder / "-".join(kind))
    jobs.configure(name, {**TINY, "window": 16384, "model": model, **settings})
    said = jobs.run(name, "2k")
    return jobs.outputs(name, "2k"), said


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_offline_the_answer_is_what_follows_the_reasoning(jobs, kind):
    outputs, said = answered(jobs, kind, reasoning=TAGS)
    assert {(o["status"], o["reasoning"], o["response"]) for o in outputs} == {
        ("ok", REASONING, ANSWER)
    }
    assert {o["reasoning_tokens"] for o in outputs} == {len(REASONING)}
    assert "contain reasoning" not in said


def test_reasoning_that_the_limit_cuts_is_no_answer_and_has_no_score(jobs):
    limits = {"max_tokens": 2, "reasoning": {**TAGS, "tokens": 2}}
    outputs, said = answered(jobs, ("plain", "prefilled"), **limits)
    assert {(o["status"], o["reasoning"], o["response"]) for o in outputs} == {
        ("unfinished", "abcd", "")
    }
    assert "end before the reasoning does and have no score" in said
    name = list(jobs.models)[-1]
    jobs.built.score(name, "2k")
    assert {s["total"] for s in read_jsonl(jobs.built.scores(name, "2k"))} == {None}


def test_a_model_that_thinks_unsaid_is_noticed(jobs):
    outputs, said = answered(jobs, ("plain", "closed"))
    assert {(o["status"], o["response"]) for o in outputs} == {("ok", ANSWER)}
    assert "contain reasoning, which uses up the response's output limit; set reasoning" in said


@pytest.mark.parametrize("parsed", [True, False], ids=["parser", "no parser"])
def test_served_the_same_answer_comes_from_fields_and_from_tags(jobs, parsed):
    jobs.model = jobs.folder / "plain-closed"
    with serving(jobs, *(["--reasoning-parser", "qwen3"] if parsed else [])) as url:
        name = f"served-{parsed}"
        served = {"engine": "openai", "model": "tiny", "base_url": url, "api_key_env": None}
        jobs.configure(name, {**served, "reasoning": {"parser": "qwen3", "tokens": 100}})
        jobs.run(name, "2k")
    outputs = jobs.outputs(name, "2k")
    assert {(o["status"], o["reasoning"], o["response"]) for o in outputs} == {
        ("ok", REASONING, ANSWER)
    }


def test_draws_of_a_sampled_answer_differ_and_are_known_again(jobs):
    sampled = {"temperature": 2.0, "top_p": 0.9, "top_k": 50, "min_p": 0.0, "seed": 7, "repeats": 3}
    tiny = {**TINY, "model": str(jobs.folder / "model"), **sampled}
    tiny["engine_operation_args"] = {**TINY["engine_operation_args"], **WHOLE_PROMPTS}
    jobs.configure("drawn", tiny)
    jobs.run("drawn", "2k")
    outputs = jobs.outputs("drawn", "2k")
    by_sample: dict[str, list[str]] = {}
    for output in outputs:
        by_sample.setdefault(output["sample_id"], []).append(output["response"])
    assert {len(texts) for texts in by_sample.values()} == {3}
    assert all(len(set(texts)) == 3 for texts in by_sample.values())
    answers = jobs.provenance("drawn", "2k")["answers"]
    assert {name: answers[name] for name in ("temperature", "top_p", "top_k", "seed")} == {
        "temperature": 2.0,
        "top_p": 0.9,
        "top_k": 50,
        "seed": 7,
    }
    jobs.configure("drawn", {**tiny, "repeats": 4})
    jobs.run("drawn", "2k")
    more = jobs.outputs("drawn", "2k")
    assert more[: len(outputs)] == outputs
    assert len(more) == len(outputs) * 4 // 3


def test_without_a_temperature_the_model_is_asked_as_its_own_config_has_it(jobs):
    own = jobs.folder / "own"
    shutil.copytree(jobs.folder / "model", own)
    ends = json.loads((own / "generation_config.json").read_text())
    own_config = {**ends, "do_sample": True, "temperature": 0.6, "top_p": 0.95}
    (own / "generation_config.json").write_text(json.dumps(own_config))
    operation = {**TINY["engine_operation_args"], **WHOLE_PROMPTS}
    asked = {"model": str(own), "temperature": None, "top_k": 20}
    jobs.configure("decoding", {**TINY, **asked, "engine_operation_args": operation})
    jobs.run("decoding", "2k")
    answers = jobs.provenance("decoding", "2k")["answers"]
    found = {name: answers[name] for name in ("temperature", "top_p", "top_k")}
    assert found == {"temperature": 0.6, "top_p": 0.95, "top_k": 20}
    assert {o["status"] for o in jobs.outputs("decoding", "2k")} <= {"ok", "length"}
