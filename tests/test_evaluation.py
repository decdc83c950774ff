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
    "judges": {"j": {**OPENAI, "structured": True}, "plain": {"engine": "anthropic", "model": "c"}},
    "models": {
        "m": {"engine": "vllm", "model": "a/b", "window": 8192},
        "reference": {"engine": "reference"},
        "baseline": {"engine": "baseline"},
        "sim-a": {"engine": "simulated"},
    },
}


def evaluation(**changes) -> Evaluation:
    return Evaluation(load_config(RAW | changes))


@pytest.fixture
def run() -> Evaluation:
    return evaluation()


def test_models_are_evaluated_by_benchmarks_that_can(run):
    assert run.evaluated_models("lifbench") == ["m", "reference", "baseline", "sim-a"]
    assert run.evaluated_models("followbench") == ["m", "reference", "sim-a"]
    assert run.real_models == ["m"]
    assert run.compared("lifbench") == ["m", "sim-a"]


def test_part_of_the_prompts_is_evaluated_in_trials_and_rounds(run):
    assert not run.evaluates_part_of("lifbench")
    run.rounds = {"lifbench": {}}
    assert run.evaluates_part_of("lifbench") and not run.evaluates_part_of("followbench")
    assert evaluation(limit=2).evaluates_part_of("followbench")


def test_benchmark_without_exports_is_named(run):
    assert run.unexported == []
    run.tasks["followbench"] = replace(run.tasks["followbench"], exports=None)
    assert run.unexported == [
        "FollowBench cannot be exported: its Task has no exports; add them (docs/share.md)"
    ]


def test_engines_of_judges_are_planned_where_a_benchmark_is_judged(run):
    builders = {ENGINES["vllm"]}
    assert {*run.engines_planned("lifbench")} == builders
    assert {*run.engines_planned("followbench")} == builders | {ENGINES["openai"]}


def test_structured_judges_get_the_schema_of_their_benchmark(run):
    schemas = []
    for judge in ("j", "plain", ""):
        job = Job("verdicts" if judge else "inference", "followbench", "m", "en", judge)
        schemas.append(run.reply_schema(job))
    assert schemas == [run.judging("followbench").schema, None, None]
    assert schemas[0] is not None


def test_sources_of_all_parts_are_inputs_by_kind(run):
    parts = {name: part.sources for name, part in run.tasks["lifbench"].parts.items()}
    files = [f"<results>/{path}" for sources in parts.values() for path in sources.values()]
    assert run.all_sources("lifbench") == files
    assert run.sources("lifbench", "8k") == files[len(parts["4k"]) :]
    assert run.all_source_keys("lifbench") == {name: list(parts[name]) for name in parts}
    contexts = run.all_sources("lifbench", {"contexts"})
    assert contexts == [path for path in files if "/contexts/" in path] != files
    for name, keys in run.all_source_keys("lifbench", {"contexts"}).items():
        assert keys == [key for key in parts[name] if key[0] == "contexts"]
    with pytest.raises(UserError, match="lifbench has no part '16k' in this config; available"):
        run.sources("lifbench", "16k")


def test_templates_are_the_user_s_files_or_downloaded(run):
    fetched = "<results>/followbench/judge/zh.txt"
    assert run.own_templates("followbench") == ["mine.txt"]
    assert run.template_files("followbench") == ["mine.txt", fetched]
    assert run.template_files("lifbench") == []
