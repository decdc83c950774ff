"""The plan: what is reckoned is what a run then takes."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parts import items
from steadfast.base.tokens import load_tokenizer
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.cost.forecast import (
    CachedTokenizer,
    distinct_tokens,
    misfits,
    plan_part,
    shared_tokens,
)
from steadfast.engines.fit import fit

TOKENIZER = load_tokenizer("o200k_base")
ANSWERS = {"engine": "openai", "model": "echo-1", "template": "chat", "temperature": 0.0}


def requests(asked=None, window=None, on_overflow="truncate"):
    asked = items() if asked is None else asked
    return fit(asked, window, on_overflow, TOKENIZER, answers=ANSWERS)


@given(st.lists(st.lists(st.integers(0, 2), max_size=5)))
def test_shared_tokens_are_the_nodes_of_the_prefix_tree(sequences):
    nodes = {tuple(s[:n]) for s in sequences for n in range(1, len(s) + 1)}
    assert shared_tokens(sequences) == len(nodes)


def test_a_context_counts_once_and_every_question_by_itself():
    row = plan_part(requests(items(1, 5)), (), TOKENIZER)
    prefix = TOKENIZER.count(requests(items(1, 1))[0].prefix)
    tails = [TOKENIZER.encode(item.tail) for item in items(1, 5)]
    assert row["prompt_tokens"] == 5 * prefix + sum(map(len, tails))
    assert row["distinct_tokens"] == prefix + shared_tokens(tails)
    assert row["output_budget"] == 250


def test_equal_requests_are_distinct_once_and_asked_once():
    asked = [*items(1, 2), replace(items(1, 1)[0], sample_id="again")]
    row, once = (plan_part(requests(some), (), TOKENIZER) for some in (asked, asked[:2]))
    assert (row["requests"], row["remaining"]) == (3, 2)
    assert row["distinct_tokens"] == once["distinct_tokens"]
    assert row["remaining_work"].prompt == once["remaining_work"].prompt < row["prompt_tokens"]


def test_a_longer_context_of_a_load_adds_only_what_follows_the_shorter_one():
    (short,) = items(1, 1)
    short = replace(short, context=short.context * 10)
    long = replace(short, sample_id="long", context_id="long", context=short.context * 2)
    computed: dict[str, int] = {}
    first, second = (
        plan_part(requests([item]), (), TOKENIZER, computed=computed) for item in (short, long)
    )
    alone = plan_part(requests([long]), (), TOKENIZER)
    prefix = requests([short])[0].prefix
    assert second["distinct_tokens"] == alone["distinct_tokens"] - TOKENIZER.count(prefix)
    assert second["remaining_work"].distinct == second["distinct_tokens"]
    assert second["prompt_tokens"] == alone["prompt_tokens"]
    assert (
        first["distinct_tokens"] == plan_part(requests([short]), (), TOKENIZER)["distinct_tokens"]
    )


def test_cuts_of_one_context_share_all_of_the_shorter_one():
    asked = [replace(item, max_tokens=50 if n else 40) for n, item in enumerate(items(1, 2))]
    cut = requests(asked, window=130)
    assert len({request.prefix for request in cut}) == 2
    assert distinct_tokens(cut, TOKENIZER) < sum(r.prompt_tokens for r in cut) - 30


def test_what_the_journal_holds_is_not_asked(part, server):
    part.run(items(2, 3))
    known = final_tiers(part.journal)
    row = plan_part(requests(), known, TOKENIZER)
    assert (row["requests"], row["cached"], row["remaining"]) == (10, 6, 4)
    part.run()
    assert plan_part(requests(), final_tiers(part.journal), TOKENIZER)["remaining"] == 0


def test_a_torn_or_missing_journal_is_read_as_far_as_it_goes(part, server, tmp_path):
    part.run(items(1, 2))
    with open(part.journal, "a") as torn:
        torn.write('{"hash": "x", "status": "ok"')
    assert len(final_tiers(part.journal)) == 2
    assert final_tiers(tmp_path / "none.jsonl") == {}


def test_prompts_that_do_not_fit_are_named():
    cut = list(misfits(requests(window=130), "truncate"))
    assert len(cut) == 10
    assert all(
        what == "prompt_truncated" and tokens <= 80 and lost > 0 for _, what, tokens, lost in cut
    )
    over = requests(window=60, on_overflow="skip")
    assert {what for _, what, _, _ in misfits(over, "skip")} == {"left out"}
    assert {what for _, what, _, _ in misfits(over, "error")} == {"stops the job"}
    assert plan_part(over, (), TOKENIZER)["unfit"] == 10
    assert list(misfits(requests(), "error")) == []


def test_a_cached_tokenizer_counts_as_its_own_does():
    cached = CachedTokenizer(TOKENIZER)
    assert cached.count("one two") == cached.count("one two") == TOKENIZER.count("one two")
