"""Prompts are fitted to the context window, with a real tokenizer."""

from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts import items
from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import Item, prefix_hasher, request_hash, settings_hasher
from steadfast.engines.cost.forecast import CachedTokenizer
from steadfast.engines.fit import estimated_requests, fit, tokenizer_of

TOKENIZER = load_tokenizer("o200k_base")
EMOJI = "\U0001f469\u200d\U0001f680"
STRINGS = st.sampled_from(
    ["a", "the ", "  ", "\n", "\n\n", "Zürich ", "長い文書", EMOJI, "0123", "don't", "=", "\t"]
)
TEXT = st.lists(STRINGS, max_size=80).map("".join) | st.text(max_size=60)
ITEMS = st.builds(
    Item, st.just("s"), st.just("c"), TEXT, TEXT, TEXT, st.integers(min_value=1, max_value=40)
)


def prompt_tokens(item):
    return TOKENIZER.count(item.head + item.context + item.tail)


@settings(max_examples=100)
@given(ITEMS, st.integers(1, 300), st.integers(0, 9))
def test_truncated_prompt_fits_and_keeps_head_and_tail(item, window, template):
    (request,) = fit([item], window, "truncate", TOKENIZER, template_tokens=template)
    if request.overflow:
        shortest = TOKENIZER.count(item.head) + TOKENIZER.count(item.tail)
        assert shortest + template + item.max_tokens > window - 4
        return
    tokens = TOKENIZER.count(request.prompt)
    assert tokens + template + item.max_tokens <= window
    assert request.prefix.startswith(item.head)
    assert item.context.startswith(request.prefix[len(item.head) :])
    assert request.suffix == item.tail
    if prompt_tokens(item) + template + item.max_tokens <= window:
        assert request.prompt == item.head + item.context + item.tail
        assert (request.prompt_truncated_tokens, request.seen) == (0, 1.0)
    else:
        assert request.prompt_truncated_tokens > 0
        assert request.seen < 1


@given(ITEMS, st.integers(1, 300))
def test_skip_and_error_use_an_exact_count(item, window):
    fits = prompt_tokens(item) + item.max_tokens <= window
    (request,) = fit([item], window, "skip", TOKENIZER)
    assert (request.overflow is None) == fits
    if fits:
        fit([item], window, "error", TOKENIZER)
    else:
        with pytest.raises(UserError, match="1 of 1 prompts exceed its context window"):
            fit([item], window, "error", TOKENIZER)


def test_window_limit_is_exact():
    (item,) = items(1, 1)
    window = prompt_tokens(item) + item.max_tokens
    assert fit([item], window, "skip", TOKENIZER)[0].overflow is None
    assert fit([item], window - 1, "skip", TOKENIZER)[0].overflow


def test_prompt_tokens_include_the_template():
    (item,) = items(1, 1)
    # Far from the limit, context and instruction are counted by themselves.
    tokens = TOKENIZER.count(item.head + item.context) + TOKENIZER.count(item.tail) + 7
    (request,) = fit([item], 10_000, "skip", TOKENIZER, template_tokens=7)
    assert (request.prompt_tokens, request.overflow) == (tokens, None)
    (request,) = fit([item], 60, "skip", TOKENIZER, template_tokens=7)
    assert request.prompt_tokens == tokens
    assert request.overflow == (
        f"{tokens} tokens of prompt and {item.max_tokens} for the response exceed the window of 60"
    )


def test_each_text_of_a_conversation_has_a_template():
    item = Item("s", "c", "", "", "Why?", 9, turns=(("Read this.", "Done."),), system="Be brief.")
    (request,) = fit([item], 10_000, "skip", TOKENIZER, template_tokens=7)
    texts = ("Be brief.", "Read this.", "Done.", "Why?")
    assert request.prompt_tokens == sum(TOKENIZER.count(text) + 7 for text in texts)


@pytest.mark.parametrize("window", [600, 601])
def test_small_window_is_filled_to_the_last_token(window):
    item = Item("s", "c", "Read.\n", "some more words of text " * 400, "\nAsk.", 100)
    (request,) = fit([item], window, "truncate", TOKENIZER, template_tokens=7)
    assert request.prompt_tokens + 100 == window
    assert request.prompt_tokens == TOKENIZER.count(request.prompt) + 7


def test_tokens_are_counted_by_the_engines_tokenizer_or_the_configured_one():
    own = CachedTokenizer(TOKENIZER)
    answers = {"tokenizer": "cl100k_base"}
    assert tokenizer_of(Mock(tokenizer=own), answers) is own
    configured = tokenizer_of(Mock(tokenizer=None), answers)
    assert configured.count("你好") == load_tokenizer("cl100k_base").count("你好") == 2
    assert tokenizer_of(Mock(tokenizer=None), {}).count("你好") == TOKENIZER.count("你好") == 1


def test_truncated_prompt_fills_the_window():
    item = Item("s", "c", "Read.\n", "some more words of text " * 4000, "\nAsk.", 100)
    (request,) = fit([item], 8192, "truncate", TOKENIZER)
    assert 8192 - 40 <= TOKENIZER.count(request.prompt) + 100 <= 8192
    assert request.seen == pytest.approx(8092 / TOKENIZER.count(item.context), rel=0.01)
    kept = TOKENIZER.count(request.prefix.removeprefix(item.head))
    assert request.prompt_truncated_tokens == TOKENIZER.count(item.context) - kept
    assert kept % 16 == 0  # a 512th of the window


def test_truncation_does_not_depend_on_other_requests():
    requested = [
        Item(f"s{n}", "c", "Read.\n", "words of text " * 400, "\nAsk." + " more" * n, 10 * (n + 1))
        for n in range(8)
    ]
    together = fit(requested, 300, "truncate", TOKENIZER)
    alone = [fit([item], 300, "truncate", TOKENIZER)[0] for item in requested]
    assert together == alone


def test_cost_estimate_truncates_only_where_the_config_does():
    """Without a policy a prompt beyond the window is an overflow, as in the plan."""
    long = [Item("a", "g", "Read this: ", "word " * 100, " Answer.", max_tokens=10)]
    overflows = {}
    for policy in ("truncate", "skip", None):
        answers = {"window": 60, "on_overflow": policy}
        ((request,), template) = estimated_requests("m", None, answers, long, TOKENIZER)
        assert template == 0
        overflows[policy] = request.overflow is not None
    assert overflows == {"truncate": False, "skip": True, None: True}


def test_truncated_prompts_of_one_task_share_their_prefix():
    requested = [
        Item(f"s{n}", "c", "Read.\n", "words of text " * 9000, f"\nAsk {n * 37}.", 100)
        for n in range(20)
    ]
    requests = fit(requested, 16384, "truncate", TOKENIZER)
    assert len({request.prefix for request in requests}) == 1
    assert len({id(request.prefix) for request in requests}) == 1


def test_prompts_with_a_common_beginning_are_a_group():
    beginnings = [("Read.", ""), ("Read.", ""), ("", "Long."), ("", "Long."), ("", ""), ("", "")]
    some_items = []
    for number, (head, context) in enumerate(beginnings):
        some_items.append(Item(f"s{number}", "c", head, context, f"{number}?", 9))
    some_items.append(replace(some_items[0], sample_id="s6", turns=(("a", "b"),)))
    groups = [request.group for request in fit(some_items, None, "error", None)]
    assert groups[0] == groups[1] and groups[2] == groups[3]
    assert len(set(groups)) == 5


def test_tokens_are_not_counted_without_a_window():
    requests = fit(items(), None, "error", None)
    assert all(request.prompt_tokens is None for request in requests)


def hash_of(prefix, suffix, max_tokens, **answers):
    return request_hash(prefix_hasher(settings_hasher(answers), prefix), suffix, max_tokens)


def test_request_hash_never_changes():
    # A change here makes every journal worthless: all paid responses would be re-requested.
    answers = {"engine": "openai", "model": "m", "temperature": 0.0, "template": "chat"}
    assert (
        hash_of("D: x\n", "I?", 100, **answers)
        == "c9ce2a0fb3c582ae2e0353fe3b541d3632faeece2d4e9f802855f3b989727db9"
    )


def test_request_hash_depends_on_the_schema():
    plain = Item("s", "c", "", "", "I?", 9)
    with_schema = Item("t", "c", "", "", "I?", 9, schema="{}")
    first, second = fit([plain, with_schema], None, "error", None)
    assert first.hash == hash_of("", "I?", 9) != second.hash


@given(TEXT, TEXT, st.integers(0, 20))
def test_request_hash_does_not_depend_on_the_split(prefix, suffix, shift):
    prompt = prefix + suffix
    expected = hash_of(prompt, "", 10)
    assert hash_of(prompt[:shift], prompt[shift:], 10) == expected
    assert hash_of(prompt, "", 11) != expected
    assert hash_of(prompt, "", 10, seed=1) != expected
