"""Rounds of an adaptive run: the contexts of each, and the decisions between them."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl, write_json, write_jsonl
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Job
from steadfast.jobs.rounds import (
    decision_file,
    decision_output,
    decisions_made,
    follow_decisions,
    last_decisions,
    previous_decision,
    undecided,
)
from steadfast.stages.choose_prompts import choose_round, rounds_of

TASK = {"lengths": {"2k": 2048, "3k": 3072}, "contexts_per_length": 4, "tasks": ["LSI"]}


def prompts_of(**tasks: str) -> list[dict]:
    """The prompts of contexts, one for each of a context's tasks."""
    prompts = []
    for context, names in tasks.items():
        prompts += [{"context_id": context, "task": task} for task in names.split()]
    return prompts


def test_each_round_has_a_context_of_each_kind():
    tasks = {f"list-{n}": "LSI LOI" for n in range(4)} | {f"onedoc-{n}": "OQ" for n in range(4)}
    rounds = rounds_of(prompts_of(**tasks), 4, seed=1)
    assert sorted(rounds) == sorted(tasks)
    for kind in ("list", "onedoc"):
        assert sorted(rounds[f"{kind}-{n}"] for n in range(4)) == [1, 2, 3, 4]


def test_seed_changes_the_order_of_contexts():
    prompts = prompts_of(**dict.fromkeys("abcdefgh", "T"))
    orders = [rounds_of(prompts, 4, seed) for seed in range(4)]
    assert any(order != orders[0] for order in orders)


def test_nested_contexts_of_a_family_are_in_one_round_at_all_lengths():
    families = [f"list-s{n}" for n in range(6)]
    rounds = []
    for length in ("4k", "8k"):
        prompts = [{"context_id": f"{f}-{length}", "family": f, "task": "LSI"} for f in families]
        rounds.append(rounds_of(prompts, 3, seed=1))
    assert rounds[0] == rounds[1] and set(rounds[0]) == set(families)


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=5),
    contexts=st.integers(2, 8),
    seed=st.integers(0, 99),
)
def test_rounds_are_alike_in_size_and_tasks(sizes, contexts, seed):
    tasks = {}
    for kind, size in enumerate(sizes):
        tasks |= {f"{kind}-{number}": f"T{kind}" for number in range(size)}
    prompts = prompts_of(**tasks)
    if len(tasks) < contexts:
        with pytest.raises(ValueError, match=f"{len(tasks)} contexts or groups are too few for"):
            rounds_of(prompts, contexts, seed)
        return
    rounds = rounds_of(prompts, contexts, seed)
    assert rounds == rounds_of(reversed(prompts), contexts, seed)
    assert rounds.keys() == tasks.keys()
    counts = Counter(rounds.values())
    assert set(counts) == set(range(1, contexts + 1))
    assert max(counts.values()) - min(counts.values()) <= 1
    for kind, size in enumerate(sizes):
        kind_counts = Counter(rounds[f"{kind}-{number}"] for number in range(size))
        assert max(kind_counts.values()) <= size // contexts + 2


SIMULATED = {"engine": "simulated", "span": 1000}
MODELS = {"reference": {"engine": "reference"}, "sim-a": SIMULATED, "sim-b": SIMULATED}


def evaluation(**settings: object) -> Evaluation:
    raw = {"lifbench": TASK, "adaptive": {"contexts": 4}, "models": MODELS}
    return Evaluation(load_config(raw | settings))


def continued(results: Path, **settings: object) -> Evaluation:
    """A run in the round that follows the decisions in a results folder."""
    run = evaluation(**settings)
    follow_decisions(run, results)
    return run


@pytest.fixture
def run(tmp_path) -> Evaluation:
    """A run in its first two rounds."""
    return continued(tmp_path)


def test_prompts_need_rewrites_only_if_expressions_are_rewritten():
    def run(expressions: str) -> Evaluation:
        rewriters = {"w": {"engine": "openai", "model": "w"}}
        return evaluation(lifbench=TASK | {"expressions": expressions}, rewriters=rewriters)

    assert not run("own").prompts_need_rewrites("lifbench")
    assert run("recs").prompts_need_rewrites("lifbench")
    assert run("recs").first_rounds("lifbench") == {"recs": "lifbench/recs/requests.jsonl"}


def metrics_digest(run: Evaluation) -> str:
    return InputDigests(run).metrics("lifbench").input_digest


def decide(run: Evaluation, results: Path, rounds: int, *goes_on: str) -> None:
    """Writes the decision that this run would make now."""
    decision = {
        "input_digest": metrics_digest(run),
        "design": run.config.adaptive.model_dump(),
        "decided_by": run.decided_by("lifbench"),
        "models": {"sim-a": {}, "sim-b": {}},
        "goes_on": goes_on,
        "looks": [],
    }
    write_json(results / decision_file("lifbench", rounds), decision)


def test_run_begins_with_two_rounds_and_continues_with_undecided_models(run, tmp_path):
    assert run.rounds == {"lifbench": {"reference": 2, "sim-a": 2, "sim-b": 2}}
    job = Job("inference", "lifbench", "sim-a", "2k")
    assert run.prompts(job) == "lifbench/rounds/2/2k.jsonl"
    decide(run, tmp_path, 2, "sim-a")
    third_round = continued(tmp_path)
    # A model that is compared with no other goes on as long as any does.
    assert third_round.rounds == {"lifbench": {"reference": 3, "sim-a": 3, "sim-b": 2}}
    decide(third_round, tmp_path, 3)
    assert continued(tmp_path).rounds == third_round.rounds


@pytest.mark.parametrize("text", ["", "[]", '{"input_digest": 1}', '{"goes_on": ["sim-a"]}'])
def test_invalid_decision_is_ignored(tmp_path, text):
    path = tmp_path / decision_file("lifbench", 2)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert set(continued(tmp_path).rounds["lifbench"].values()) == {2}


def test_decisions_have_the_input_digests_of_their_rounds(run, tmp_path):
    second = metrics_digest(run)
    decide(run, tmp_path, 2, "sim-a")
    third_round = continued(tmp_path)
    assert [(path, step.input_digest) for path, step in decisions_made(third_round)] == [
        (decision_file("lifbench", 2), second),
        (decision_file("lifbench", 3), metrics_digest(third_round)),
    ]
    assert third_round.rounds == {"lifbench": {"reference": 3, "sim-a": 3, "sim-b": 2}}


def test_last_decision_is_read_where_the_round_is_decided(run, tmp_path):
    assert last_decisions(run, tmp_path, "lifbench") == []
    decide(run, tmp_path, 2)
    (decision,) = last_decisions(run, tmp_path, "lifbench")
    assert decision["goes_on"] == []


def test_decision_on_other_scores_is_ignored(run, tmp_path):
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    reseeded = continued(tmp_path, seed=2)
    assert set(reseeded.rounds["lifbench"].values()) == {2}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"adaptive": {"contexts": 4, "top": 2}}, "with top 1; it must not change to 2"),
        ({"lifbench": {**TASK, "rubric": "corrected"}}, "with scoring .* must not change to"),
        ({"lifbench": {**TASK, "weighting": "mean"}}, "with metrics .* must not change to"),
        ({"adaptive": None}, "decided by an adaptive run, but adaptive is not set"),
        ({"only": ["reference", "sim-a"]}, "with model 'sim-b', which is missing now"),
    ],
)
def test_design_must_not_change_after_a_decision(run, tmp_path, settings, message):
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    with pytest.raises(UserError, match=message):
        continued(tmp_path, **settings)


def test_model_may_be_added_after_a_decision(run, tmp_path):
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    extended = continued(tmp_path, models={**MODELS, "sim-c": {"engine": "simulated", "span": 500}})
    assert set(extended.rounds["lifbench"].values()) == {2}


def test_config_without_rounds_is_refused():
    scored = {"models": {"Qwen2.5-7B": {"engine": "scored"}}}
    for settings, message in (
        ({"limit": 1}, "adaptive: a trial .limit. has no rounds"),
        ({"adaptive": {"contexts": 5}}, "contexts_per_length: 4, but adaptive has"),
        (scored, "'Qwen2.5-7B' has released scores, which cannot be evaluated in rounds"),
    ):
        with pytest.raises(UserError, match=message):
            evaluation(**settings)


def test_one_model_alone_is_refused(tmp_path):
    with pytest.raises(UserError, match="compares at least two models, lifbench has 1"):
        continued(tmp_path, only=["reference", "sim-a"])


@pytest.mark.parametrize("unit", ["context_id", "family"])
def test_prompts_of_the_first_rounds_are_selected_in_order(tmp_path, unit):
    prompts = tmp_path / "prompts.jsonl"
    selected = tmp_path / "2.jsonl"
    records = prompts_of(**dict.fromkeys(("c0", "c1", "c2", "c3"), "T U"))
    for number, record in enumerate(records):
        record["sample_id"] = f"s{number}"
        if unit == "family":
            record["family"] = f"f-{record['context_id']}"
    write_jsonl(prompts, records)
    choose_round(prompts, 2, 4, seed=1, out=selected)
    rounds = rounds_of(records, 4, 1)
    expected = [record for record in records if rounds[record[unit]] <= 2]
    assert list(read_jsonl(selected)) == expected
    assert len(expected) == 2 * 2  # half of the contexts, of two prompts each
    message = r"prompts\.jsonl: 4 contexts or groups are too few for 5 rounds"
    with pytest.raises(UserError, match=message):
        choose_round(prompts, 2, 5, seed=1, out=selected)


def test_round_reads_the_decision_before_it_and_makes_its_own(run, tmp_path):
    decisions = "<results>/lifbench/decisions"
    assert previous_decision(run, "lifbench") == []
    assert decision_output(run, "lifbench") == {"decision": [f"{decisions}/2.json"]}
    assert undecided(run, tmp_path) == ["lifbench"]
    decide(run, tmp_path, 2, "sim-a")
    assert undecided(run, tmp_path) == []
    third_round = continued(tmp_path)
    assert previous_decision(third_round, "lifbench") == ["lifbench/decisions/2.json"]
    assert decision_output(third_round, "lifbench") == {"decision": [f"{decisions}/3.json"]}


def test_run_without_rounds_has_no_decisions():
    run = evaluation(adaptive=None)
    assert previous_decision(run, "lifbench") == []
    assert decision_output(run, "lifbench") == {}
