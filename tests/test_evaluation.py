"""What a config runs: its models by kind, and the files of its benchmarks."""

from dataclasses import replace

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.engine_names import ENGINES
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Job

OPENAI = {"engine": "openai", "model": "m"}
RAW = {
    "benchmarks": ["lifbench", "followbench"],
    "lifbench": {"lengths": {"4k": 3072, "8k": 7168}},
    "followbench": {"template_source": "released", "templates": {"en": "mine.txt"}},
    "judges": {"j": {**OPENAI, "structured": True}, "plain": {"engine": "reference"}},
    "models": {
        "m": {"engine": "vllm", "model": "a/b", "window": 8192},
        "reference": {"engine": "reference"},
        "baseline": {"engine": "baseline"},
        "sim-a": {"engine": "simulated"},
    },
}


@pytest.fixture
def run() -> Evaluation:
    return Evaluation(load_config(RAW))


def test_models_are_evaluated_by_benchmarks_that_can(run):
    assert run.evaluated_models("lifbench") == ["m", "reference", "baseline", "sim-a"]
    assert run.evaluated_models("followbench") == ["m", "reference", "sim-a"]
    assert run.real_models == ["m"]
    assert run.compared("lifbench") == ["m", "sim-a"]


def test_run_knows_what_it_evaluates_in_part_and_cannot_export(run):
    assert not run.evaluates_part_of("lifbench") and run.unexported == []
    run.rounds = {"lifbench": {}}
    assert run.evaluates_part_of("lifbench") and not run.evaluates_part_of("followbench")
    assert Evaluation(load_config(RAW | {"limit": 2})).evaluates_part_of("followbench")
    run.tasks["followbench"] = replace(run.tasks["followbench"], exports=None)
    (sentence,) = run.unexported
    assert sentence.startswith("FollowBench cannot be exported")


def test_judges_count_where_a_benchmark_is_judged(run):
    assert run.engines_planned("lifbench") == [ENGINES["vllm"]]
    assert {*run.engines_planned("followbench")} == {ENGINES["vllm"], ENGINES["openai"]}
    judged = {name: settings["judged"] for name, settings in run.summary_inputs.items()}
    assert judged == {"lifbench": False, "followbench": True}
    jobs = [Job("verdicts", "followbench", "m", "en", judge) for judge in ("j", "plain")]
    schema = run.judging("followbench").schema
    assert schema and [run.reply_schema(job) for job in jobs] == [schema, None]
    assert run.reply_schema(Job("inference", "followbench", "m", "en")) is None


def test_sources_of_all_parts_are_inputs_by_kind(run):
    parts = {name: part.sources for name, part in run.tasks["lifbench"].parts.items()}
    files = [f"<results>/{path}" for sources in parts.values() for path in sources.values()]
    assert run.all_sources("lifbench") == files
    assert run.sources("lifbench", "8k") == files[len(parts["4k"]) :]
    assert run.all_source_keys("lifbench") == {name: list(parts[name]) for name in parts}
    contexts = [path for path in files if "/contexts/" in path]
    assert run.all_sources("lifbench", {"contexts"}) == contexts != files
    for keys in run.all_source_keys("lifbench", {"contexts"}).values():
        assert keys and {kind for kind, _ in keys} == {"contexts"}
    with pytest.raises(UserError, match="lifbench has no part '16k' in this config; available"):
        run.sources("lifbench", "16k")


def test_templates_are_the_user_s_files_or_downloaded(run):
    fetched = "<results>/followbench/judge/zh.txt"
    assert run.template_files("followbench") == ["mine.txt", fetched]
