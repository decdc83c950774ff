"""Prompts at each length: alone, and in a position relative to a context."""

import pandas as pd
import pytest
from ifeval_shared import samples_of

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.ifeval.prompts import IfevalSamples
from steadfast.corpora.contexts.filler import SENTENCE, contexts

TEXTS = [f"Say {n} {{prompt}}." for n in range(7)]
RECORDS = []
for number, text in enumerate(TEXTS):
    RECORDS.append({"prompt_id": f"synthetic/{number}", "set": "synthetic", "prompt": text})


def prompt_frame(samples) -> pd.DataFrame:
    return pd.DataFrame([sample.prompt for sample in samples])


def item_frame(samples) -> pd.DataFrame:
    """What is sent: head, context and tail."""
    return pd.DataFrame([IfevalSamples().item(sample) for sample in samples])


def contexts_of(samples) -> pd.Series:
    """The context of each prompt."""
    frame = prompt_frame(samples).drop_duplicates(["context_id", "long_context_id"])
    return frame.set_index("context_id")["long_context_id"]


def test_prompt_at_length_0_is_the_published_one():
    items = item_frame(samples_of(RECORDS)["0"])
    assert (items["head"] + items["context"] + items["tail"]).tolist() == TEXTS


def test_framing_sentences_share_a_context_as_prefix():
    samples = samples_of(RECORDS, framing_sentences=3)["4k"]
    assert len(samples) == 7 * 3 and len(contexts_of(samples)) == 7
    items = item_frame(samples_of(RECORDS, texts=1, framing_sentences=4)["4k"])
    assert set(items["head"] + items["context"]) == {"text 0"}
    assert items["context_id"].nunique() == 1


def test_prompts_after_a_filler_are_those_after_a_context():
    samples = samples_of(RECORDS, positions=("after", "filler"))["4k"]
    prompts = prompt_frame(samples).set_index(["context_id", "expression_id"])
    after = prompts.loc[prompts["position"] == "after", "instruction"].to_dict()
    filler = prompts.loc[prompts["position"] == "filler", "instruction"].to_dict()
    assert after == filler and len(filler) == 7 * 2
    # Fillers are last, and share a prefix.
    assert prompts["position"].tolist()[-len(filler) :] == ["filler"] * len(filler)
    assert set(item_frame(samples)["context"][-len(filler) :]) == {"filler"}


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
    prompts = prompt_frame(samples_of(RECORDS, texts=3, framing_sentences=1)["4k"])
    assert sorted(prompts["long_context_id"].value_counts()) == [2, 2, 3]


def test_contexts_of_a_prompt_have_one_seed_at_all_lengths():
    samples = samples_of(RECORDS, lengths=("4k", "8k"), texts=3)
    seeds = contexts_of(samples["4k"]).str[-2:]
    assert seeds.equals(contexts_of(samples["8k"]).str[-2:])
    assert set(seeds) == {"s0", "s1", "s2"}


def test_contexts_depend_on_the_seed():
    contexts = contexts_of(samples_of(RECORDS, seed=1)["4k"])
    assert contexts.equals(contexts_of(samples_of(RECORDS, seed=1)["4k"]))
    assert not contexts.equals(contexts_of(samples_of(RECORDS, seed=2)["4k"]))


@pytest.mark.parametrize(("position", "before", "after"), [("before", 1, 0), ("both", 1, 1)])
def test_positions_before_and_around_the_context(position, before, after):
    for sample in samples_of(RECORDS, positions=(position,), framing_sentences=4)["4k"]:
        item = IfevalSamples().item(sample)
        prompt = sample.source["instance"]["prompt"]
        assert (item.head.count(prompt), item.tail.count(prompt)) == (before, after)
