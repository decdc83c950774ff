"""Rounds of an adaptive run: which contexts each asks, and how far decisions say that a run is."""

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
    before,
    decided,
    decision_file,
    follow,
    last_decisions,
    made,
    undecided,
)
from steadfast.stages.choose_prompts import choose_round, rounds_of

LENGTHS = {"2k": 2048, "3k": 3072}


TASK = {"lengths": LENGTHS, "contexts_per_length": 4, "tasks": ["LSI"]}


def asked(**units: str) -> list[dict]:
    """Prompts of contexts, each with the tasks that it is asked."""
    return [
        {"context_id": unit, "task": task}
        for unit, tasks in units.items()
        for task in tasks.split()
    ]


def test_each_round_has_one_context_of_each_kind_and_the_seed_orders_them():
    kinds = {f"list-{n}": "LSI LOI" for n in range(4)} | {f"onedoc-{n}": "OQ" for n in range(4)}
    found = rounds_of(asked(**kinds), 4, seed=1)
    rounds = Counter((unit.partition("-")[0], number) for unit, number in found.items())
    assert rounds == {(kind, number): 1 for kind in ("list", "onedoc") for number in (1, 2, 3, 4)}
    prompts = asked(**{f"c{n}": "T" for n in range(8)})
    assert len({str(sorted(rounds_of(prompts, 4, seed).items())) for seed in range(4)}) > 1


def test_a_family_of_nested_contexts_is_asked_in_one_round_at_all_lengths():
    found = []
    for length in ("4k", "8k"):
        prompts = [
            {"context_id": f"list-{length}-s{n}", "family": f"list-s{n}", "task": "LSI"}
            for n in range(6)
        ]
        found.append(rounds_of(prompts, 3, seed=1))
    assert found[0] == found[1] and set(found[0]) == {f"list-s{n}" for n in range(6)}


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=5),
    contexts=st.integers(2, 8),
    seed=st.integers(0, 99),
)
def test_rounds_are_alike_in_size_and_in_what_they_ask(sizes, contexts, seed):
    units = {f"{kind}-{n}": f"T{kind}" for kind, size in enumerate(sizes) for n in range(size)}
    prompts = asked(**units)
    if len(units) < contexts:
        with pytest.raises(ValueError, match=f"{len(units)} contexts or groups are too few for"):
            rounds_of(prompts, contexts, seed)
        return
    found = rounds_of(prompts, contexts, seed)
    assert found == rounds_of(reversed(prompts), contexts, seed)
    assert found.keys() == units.keys()
    counts = Counter(found.values())
    assert set(counts) == set(range(1, contexts + 1))
    assert max(counts.values()) - min(counts.values()) <= 1
    for kind, size in enumerate(sizes):
        by_round = Counter(n for unit, n in found.items() if unit.startswith(f"{kind}-"))
        assert max(by_round.values()) <= size // contexts + 2


def evaluation(**settings: object) -> Evaluation:
    readers = {f"sim-{name}": {"engine": "simulated", "span": 1000} for name in "ab"}
    whole = {
        "lifbench": TASK,
        "adaptive": {"contexts": 4},
        "models": {"gold": {"engine": "reference"}, **readers},
    }
    return Evaluation(load_config(whole | settings))


def followed(results: Path, **settings: object) -> Evaluation:
    """A run as the decisions in a results folder say that it goes on."""
    run = evaluation(**settings)
    follow(run, results)
    return run


def decide(run: Evaluation, results: Path, rounds: int, *goes_on: str, **other: object) -> None:
    """Writes the decision that this run would make now."""
    decision = {
        "input_digest": InputDigests(run).metrics("lifbench").input_digest,
        "design": run.config.adaptive.model_dump() if run.config.adaptive else {},
        "decided_by": run.decided_by("lifbench"),
        "models": {"sim-a": {}, "sim-b": {}},
        "goes_on": goes_on,
        "looks": [],
    }
    write_json(results / decision_file("lifbench", rounds), decision | other)


def test_a_run_begins_with_two_rounds_and_asks_the_next_of_those_that_go_on(tmp_path):
    run = followed(tmp_path)
    assert run.rounds == {"lifbench": {"gold": 2, "sim-a": 2, "sim-b": 2}}
    assert run.prompts(Job("inference", "lifbench", "sim-a", "2k")) == (
        "lifbench/rounds/2/2k.jsonl"
    )
    decide(run, tmp_path, 2, "sim-a")
    again = followed(tmp_path)
    # What is compared with nobody is asked as long as anybody is.
    assert again.rounds == {"lifbench": {"gold": 3, "sim-a": 3, "sim-b": 2}}
    decide(again, tmp_path, 3)
    ended = followed(tmp_path)
    assert ended.rounds == again.rounds


@pytest.mark.parametrize("text", ["", "[]", '{"input_digest": 1}', '{"goes_on": ["sim-a"]}'])
def test_what_is_no_decision_is_made_again(tmp_path, text):
    run = evaluation()
    path = tmp_path / decision_file("lifbench", 2)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    follow(run, tmp_path)
    assert set(run.rounds["lifbench"].values()) == {2}


def test_a_run_knows_what_each_of_its_decisions_was_made_of(tmp_path):
    run = followed(tmp_path)
    decide(run, tmp_path, 2, "sim-a")
    second = InputDigests(run).metrics("lifbench").input_digest
    run = followed(tmp_path)
    third = InputDigests(run).metrics("lifbench").input_digest
    assert [(path, step.input_digest) for path, step in decided(run)] == [
        (decision_file("lifbench", 2), second),
        (decision_file("lifbench", 3), third),
    ]
    assert run.rounds == {"lifbench": {"gold": 3, "sim-a": 3, "sim-b": 2}}


def test_the_last_decision_is_a_result_once_it_is_there(tmp_path):
    run = followed(tmp_path)
    assert last_decisions(run, tmp_path, "lifbench") == []
    decide(run, tmp_path, 2)
    (decision,) = last_decisions(run, tmp_path, "lifbench")
    assert decision["goes_on"] == []


def test_a_decision_of_other_scores_is_made_again(tmp_path):
    run = followed(tmp_path)
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    other = followed(tmp_path, seed=2)
    assert set(other.rounds["lifbench"].values()) == {2}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"adaptive": {"contexts": 4, "top": 2}}, "with top 1; it must not change to 2"),
        ({"lifbench": {**TASK, "rubric": "corrected"}}, "with scoring .* must not change to"),
        ({"lifbench": {**TASK, "weighting": "mean"}}, "with metrics .* must not change to"),
        ({"adaptive": None}, "decided by an adaptive run, but adaptive is not set"),
        ({"only": ["gold", "sim-a"]}, "with model 'sim-b', which is missing now"),
    ],
)
def test_a_design_is_not_changed_after_a_look(tmp_path, settings, said):
    run = followed(tmp_path)
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    with pytest.raises(UserError, match=said):
        follow(evaluation(**settings), tmp_path)


def test_a_model_may_be_added_after_a_look(tmp_path):
    run = followed(tmp_path)
    decide(run, tmp_path, 2, "sim-a", "sim-b")
    more = {**run.config.model_dump()["models"], "sim-c": {"engine": "simulated", "span": 500}}
    added = followed(tmp_path, models=more)
    assert set(added.rounds["lifbench"].values()) == {2}


def test_what_has_no_rounds_is_refused():
    for settings, said in (
        ({"limit": 1}, "adaptive: a trial .limit. has no rounds"),
        ({"adaptive": {"contexts": 5}}, "contexts_per_length: 4, but adaptive has"),
        (
            {"models": {"Qwen2.5-7B": {"engine": "scored"}}},
            "'Qwen2.5-7B' has released scores, which cannot be evaluated in rounds",
        ),
    ):
        with pytest.raises(UserError, match=said):
            evaluation(**settings)


def test_one_model_alone_is_refused(tmp_path):
    with pytest.raises(UserError, match="compares at least two models, lifbench has 1"):
        follow(evaluation(only=["gold", "sim-a"]), tmp_path)


def test_the_prompts_of_the_first_rounds_are_written_as_they_stand(tmp_path):
    prompts = tmp_path / "prompts.jsonl"
    out = tmp_path / "2.jsonl"
    records = asked(**{f"c{n}": "T U" for n in range(4)})
    write_jsonl(prompts, [one | {"sample_id": f"s{n}"} for n, one in enumerate(records)])
    choose_round(prompts, 2, 4, seed=1, out=out)
    found = rounds_of(records, 4, 1)
    wanted = [f"s{n}" for n, one in enumerate(records) if found[one["context_id"]] <= 2]
    assert [one["sample_id"] for one in read_jsonl(out)] == wanted
    assert len(wanted) == 2 * 2  # half of the contexts, of two prompts each
    nested = [record | {"family": f"f-{record['context_id']}"} for record in read_jsonl(prompts)]
    write_jsonl(prompts, nested)
    choose_round(prompts, 2, 4, seed=1, out=out)
    family_rounds = rounds_of(nested, 4, 1)
    chosen = [record["family"] for record in read_jsonl(out)]
    assert chosen == [record["family"] for record in nested if family_rounds[record["family"]] <= 2]
    assert len(set(chosen)) == 2
    with pytest.raises(
        UserError, match=r"prompts\.jsonl: 4 contexts or groups are too few for 5 rounds"
    ):
        choose_round(prompts, 2, 5, seed=1, out=out)


def test_a_round_takes_the_decision_before_it_and_makes_its_own(tmp_path):
    run = followed(tmp_path)
    path = "<results>/lifbench/decisions/2.json"
    assert (before(run, "lifbench"), made(run, "lifbench")) == ([], {"decision": [path]})
    assert undecided(run, tmp_path) == ["lifbench"]
    decide(run, tmp_path, 2, "sim-a")
    assert undecided(run, tmp_path) == []
    again = followed(tmp_path)
    assert before(again, "lifbench") == ["lifbench/decisions/2.json"]
    assert made(again, "lifbench") == {"decision": ["<results>/lifbench/decisions/3.json"]}
    once = evaluation(adaptive=None)
    assert (before(once, "lifbench"), made(once, "lifbench")) == ([], {})
