import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts.lists import Separate, contexts

BUDGET = 3072
TOKENIZER = load_tokenizer("o200k_base")


@pytest.fixture(scope="module")
def alpaca(corpora):
    return corpora["alpaca"]


def build(path, budget=BUDGET, seeds=(1,), tokenizer="o200k_base"):
    inputs = {"alpaca": path}
    return list(contexts(inputs, length="4k", budget=budget, seeds=seeds, tokenizer=tokenizer))


@pytest.fixture(scope="module")
def context(alpaca):
    return build(alpaca)[0]


def made(path, texts):
    path.write_text(
        "".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts))
    )
    return path


def test_elements_are_numbered_half_of_them_uuids_and_none_part_of_another(context):
    lines = context["text"].split("\n")
    assert lines == [f"{n}. {element}" for n, element in enumerate(context["elements"], start=1)]
    uuids = [e for e in context["elements"] if re.fullmatch("[0-9a-f]{32}", e)]
    assert 0.4 < len(uuids) / len(context["elements"]) < 0.7
    elements = context["elements"]
    assert len(set(elements)) == len(elements)
    assert not any(a in b for a in elements for b in elements if a != b)


def test_elements_that_hold_another_one_or_break_answers_are_left_out(tmp_path):
    whole = "Write a short poem about the river Elbe in winter."
    unfit = [
        "poem about the river Elbe",
        "Write a smiley \U0001f600 for each of these words.",
        "Name two things\nand say why you chose them.",
        'Complete the list "one", "two" with three more words.',
        "What is 111b8aaa62f28d1a4a789cb3d8b9b45c in decimal notation?",
    ]
    path = made(
        tmp_path / "alpaca", [whole, *unfit, *(f"Count up to {n}00{n} and back." for n in range(9))]
    )
    elements = build(path, 150)[0]["elements"]
    assert not set(unfit) & set(elements)


def test_too_small_a_corpus_or_budget_is_named(tmp_path, alpaca):
    path = made(tmp_path / "alpaca", ["Name the capital of France.", "Add two and three now."])
    with pytest.raises(UserError, match=r"corpora/alpaca: 2 instructions .* list context of 3,072"):
        build(path)
    with pytest.raises(UserError, match="no unit fits into 3 tokens"):
        build(alpaca, budget=3)


STRINGS = st.text(alphabet="ab ", min_size=1, max_size=24)


@given(st.lists(STRINGS | st.lists(STRINGS, min_size=3).map("".join), max_size=20))
@example(["rite a poem about win", "Write a poem about winter"])
@example(["Write a poem about winter", "poem about winter"])
@example([" poem about winter", "Write a poem about winter"])
def test_of_texts_that_are_separate_none_is_part_of_another(texts):
    separate = Separate()
    kept = [text for text in texts if separate.add(text)]
    assert not any(a in b for n, a in enumerate(kept) for m, b in enumerate(kept) if n != m)


def test_texts_that_share_words_alone_are_separate():
    separate = Separate()
    texts = ["Write a poem about winter.", "Write a story about winter.", "Name a poem about rain."]
    assert all(map(separate.add, texts))
