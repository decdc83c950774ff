import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from small_contexts import numbered
from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.corpora.contexts.lists import DisjointTexts


def overlapping(texts):
    """Pairs of texts of which one contains the other, or is equal to it."""
    return [(a, b) for n, a in enumerate(texts) for m, b in enumerate(texts) if n != m and a in b]


def test_elements_are_numbered_and_about_half_of_them_uuids(build):
    (context,) = build("list")
    elements = context["elements"]
    assert context["text"] == numbered(elements)
    uuids = re.findall("^[0-9a-f]{32}$", "\n".join(elements), re.MULTILINE)
    assert 0.4 < len(uuids) / len(elements) < 0.7
    assert overlapping(elements) == []


@pytest.fixture
def write_corpus(tmp_path):
    def write(*texts):
        records = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        write_jsonl(tmp_path / "alpaca", records)
        return {"alpaca": tmp_path / "alpaca"}

    return write


def test_instructions_that_overlap_or_break_answers_are_left_out(build, write_corpus):
    unfit = [
        "poem about the river Elbe",
        "Write a smiley \U0001f600 for each of these words.",
        "Name two things\nand say why you chose them.",
        'Complete the list "one", "two" with three more words.',
        "What is 111b8aaa62f28d1a4a789cb3d8b9b45c in decimal notation?",
    ]
    fit = ["Write a short poem about the river Elbe in winter."]
    fit += [f"Count up to {n}00{n} and back." for n in range(9)]
    (context,) = build("list", 150, paths=write_corpus(*fit, *unfit))
    assert not set(unfit) & set(context["elements"])


def test_corpus_that_is_too_small_is_reported(build, write_corpus):
    paths = write_corpus("Name the capital of France.", "Add two and three now.")
    with pytest.raises(UserError, match=r"corpora/alpaca: 2 instructions .* list context of 3,072"):
        build("list", paths=paths)


STRINGS = st.text(alphabet="ab ", min_size=1, max_size=24)


@given(st.lists(STRINGS | st.lists(STRINGS, min_size=3).map("".join), max_size=20))
@example(["rite a poem about win", "Write a poem about winter"])
@example(["Write a poem about winter", "poem about winter"])
@example([" poem about winter", "Write a poem about winter"])
def test_separate_texts_do_not_contain_each_other(texts):
    assert overlapping(list(filter(DisjointTexts().add, texts))) == []


def test_texts_that_share_words_are_separate():
    separate = DisjointTexts()
    for text in (
        "Write a poem about winter.",
        "Write a story about winter.",
        "Name a poem about rain.",
    ):
        assert separate.add(text)
