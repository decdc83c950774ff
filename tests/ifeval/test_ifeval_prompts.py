"""What is asked at each length: the prompt alone, and beside a text."""

from collections import Counter

import pytest
from ifeval_shared import asked

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.ifeval.prompts import IfevalSamples
from steadfast.corpora.contexts.filler import SENTENCE, contexts

RECORDS = [
    {"prompt_id": f"synthetic/{n}", "set": "synthetic", "prompt": f"Say {n} {{prompt}}."}
    for n in range(7)
]
ITEM = IfevalSamples().item


def test_alone_it_is_the_published_prompt_and_each_wording_stands_beside_one_text():
    items = [ITEM(one) for one in asked(RECORDS)["0"]]
    assert [one.head + one.context + one.tail for one in items] == [r["prompt"] for r in RECORDS]
    samples = asked(RECORDS, framing_sentences=3)["4k"]
    assert len(samples) == 7 * 3
    texts = {(s.prompt["context_id"], s.prompt["long_context_id"]) for s in samples}
    assert len(texts) == 7
    # after the text, all wordings share it as a prefix
    items = [ITEM(one) for one in asked(RECORDS, texts=1, framing_sentences=4)["4k"]]
    assert {one.head + one.context for one in items} == {"text 0"}
    assert len({one.context_id for one in items}) == 1


def test_after_a_filler_each_prompt_is_asked_as_after_a_text():
    samples = asked(RECORDS, positions=("after", "filler"))["4k"]
    by_position = {
        position: {
            (s.prompt["context_id"], s.prompt["expression_id"]): s.prompt["instruction"]
            for s in samples
            if s.prompt["position"] == position
        }
        for position in ("after", "filler")
    }
    assert by_position["after"] == by_position["filler"] and len(by_position["filler"]) == 7 * 2
    fillers = [s for s in samples if s.prompt["position"] == "filler"]
    assert {ITEM(sample).context for sample in fillers} == {"filler"}
    assert samples[-len(fillers) :] == fillers  # which share a prefix


@pytest.mark.parametrize("budget", [64, 2048, 61_440])
def test_a_filler_fills_its_budget(budget):
    (filler,) = contexts({}, length="4k", budget=budget, tokenizer="cl100k_base")
    tokenizer = load_tokenizer("cl100k_base")
    assert filler["tokens"] == tokenizer.count(filler["text"]) <= budget
    assert tokenizer.count(f"{filler['text']} {SENTENCE}") > budget


def test_prompts_of_other_data_are_refused():
    prompts = [{"sample_id": "synthetic/9", "context_id": "synthetic/9"}]
    with pytest.raises(UserError, match="remake the prompts"):
        list(IfevalSamples().sources(prompts, {"data": {"prompts": RECORDS}}))


def test_texts_are_shared_out_evenly_by_the_seed_and_of_one_family_at_all_lengths():
    samples = asked(RECORDS, texts=3, framing_sentences=1)["4k"]
    assert sorted(Counter(s.prompt["long_context_id"] for s in samples).values()) == [2, 2, 3]
    samples = asked(RECORDS, lengths=("4k", "8k"), texts=3)
    families = [
        {s.prompt["context_id"]: s.prompt["long_context_id"][-2:] for s in samples[length]}
        for length in ("4k", "8k")
    ]
    assert families[0] == families[1] and set(families[0].values()) == {"s0", "s1", "s2"}
    first, again, second = (
        {
            s.prompt["context_id"]: s.prompt["long_context_id"]
            for s in asked(RECORDS, seed=seed)["4k"]
        }
        for seed in (1, 1, 2)
    )
    assert first == again != second


@pytest.mark.parametrize(("position", "ahead", "behind"), [("before", 1, 0), ("both", 1, 1)])
def test_the_other_positions(position, ahead, behind):
    for sample in asked(RECORDS, positions=(position,), framing_sentences=4)["4k"]:
        item = ITEM(sample)
        prompt = sample.source["instance"]["prompt"]
        assert (item.head.count(prompt), item.tail.count(prompt)) == (ahead, behind)
