"""Prompts at each length: alone, and in a position relative to a context."""

from collections import Counter

import pytest
from ifeval_shared import samples_of

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.ifeval.prompts import IfevalSamples
from steadfast.corpora.contexts.filler import SENTENCE, contexts

RECORDS = [
    {"prompt_id": f"synthetic/{n}", "set": "synthetic", "prompt": f"Say {n} {{prompt}}."}
    for n in range(7)
]


def items_of(samples):
    return [IfevalSamples().item(sample) for sample in samples]


def contexts_of(samples):
    """The context of each prompt."""
    return {s.prompt["context_id"]: s.prompt["long_context_id"] for s in samples}


def test_prompt_at_length_0_is_the_published_one():
    items = items_of(samples_of(RECORDS)["0"])
    texts = [item.head + item.context + item.tail for item in items]
    assert texts == [record["prompt"] for record in RECORDS]


def test_framing_sentences_share_a_context_as_prefix():
    samples = samples_of(RECORDS, framing_sentences=3)["4k"]
    assert len(samples) == 7 * 3
    pairs = {(s.prompt["context_id"], s.prompt["long_context_id"]) for s in samples}
    assert len(pairs) == 7
    items = items_of(samples_of(RECORDS, texts=1, framing_sentences=4)["4k"])
    assert {item.head + item.context for item in items} == {"text 0"}
    assert len({item.context_id for item in items}) == 1


def test_prompts_after_a_filler_are_those_after_a_context():
    samples = samples_of(RECORDS, positions=("after", "filler"))["4k"]
    instructions = {"after": {}, "filler": {}}
    for sample in samples:
        prompt = sample.prompt
        key = (prompt["context_id"], prompt["expression_id"])
        instructions[prompt["position"]][key] = prompt["instruction"]
    assert instructions["after"] == instructions["filler"] and len(instructions["filler"]) == 7 * 2
    fillers = [sample for sample in samples if sample.prompt["position"] == "filler"]
    assert {item.context for item in items_of(fillers)} == {"filler"}
    assert samples[-len(fillers) :] == fillers  # which share a prefix


@pytest.mark.parametrize("budget", [64, 2048, 61_440])
def test_filler_fills_its_budget(budget):
    (filler,) = contexts({}, length="4k", budget=budget, tokenizer="cl100k_base")
    tokenizer = load_tokenizer("cl100k_base")
    assert filler["tokens"] == tokenizer.count(filler["text"]) <= budget
    assert tokenizer.count(f"{filler['text']} {SENTENCE}") > budget


def test_prompts_of_other_data_are_refused():
    prompts = [{"sample_id": "synthetic/9", "context_id": "synthetic/9"}]
    with pytest.raises(UserError, match="remake the prompts"):
        list(IfevalSamples().sources(prompts, {"data": {"prompts": RECORDS}}))


def test_contexts_are_distributed_evenly():
    samples = samples_of(RECORDS, texts=3, framing_sentences=1)["4k"]
    counts = Counter(sample.prompt["long_context_id"] for sample in samples)
    assert sorted(counts.values()) == [2, 2, 3]


def test_contexts_of_a_prompt_have_one_seed_at_all_lengths():
    samples = samples_of(RECORDS, lengths=("4k", "8k"), texts=3)
    at_4k = contexts_of(samples["4k"])
    assert contexts_of(samples["8k"]) == {k: v.replace("4k", "8k") for k, v in at_4k.items()}
    assert {context_id[-2:] for context_id in at_4k.values()} == {"s0", "s1", "s2"}


def test_contexts_depend_on_the_seed():
    first = contexts_of(samples_of(RECORDS, seed=1)["4k"])
    assert first == contexts_of(samples_of(RECORDS, seed=1)["4k"])
    assert first != contexts_of(samples_of(RECORDS, seed=2)["4k"])


@pytest.mark.parametrize(("position", "before", "after"), [("before", 1, 0), ("both", 1, 1)])
def test_positions_before_and_around_the_context(position, before, after):
    samples = samples_of(RECORDS, positions=(position,), framing_sentences=4)["4k"]
    for sample, item in zip(samples, items_of(samples), strict=True):
        prompt = sample.source["instance"]["prompt"]
        assert (item.head.count(prompt), item.tail.count(prompt)) == (before, after)
