"""LIFEval on any text: points within their bounds, twice the same, in bounded time."""

import re
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from math import inf
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifbench_samples import LIST, MULTIDOC_CONTEXT, ONEDOC_CONTEXT, samples
from steadfast.base.errors import UserError
from steadfast.base.files import json_line
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import RUBRICS, parsing, score
from steadfast.benchmarks.lifbench.rubric.corrected.reading import values_in
from steadfast.benchmarks.lifbench.rubric.facts import ListFacts, MultiDocFacts, TextIndex
from steadfast.benchmarks.lifbench.rubric.released.multidoc import label_documents
from steadfast.benchmarks.lifbench.rubric.text import Finder, allowed_edits, normal
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steps import steps

PIECES = [
    *("[", "]", "[[", "]]", "{", "}", "(", ",", '"', '\\"', "\\", "\\x4", "'", ":", "\n", "\r"),
    *("\0", "\ud83d", "None", "null", "NaN", "-", "1", "0x" + "f" * 5000, "#Topic#", "|Summary|"),
    *("###", "doc1", "doc10", "Yes", "No", "apple", *LIST),
    *(value for document in MULTIDOC_CONTEXT["documents"] for value in document.values()),
    *(sentence["text"] for sentence in ONEDOC_CONTEXT["key_sentences"]),
]
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.lists(st.lists(st.sampled_from(PIECES), min_size=1), min_size=1, max_size=4).map(repr),
)


def maximum(task: str, rubric: str, point: str) -> float:
    """1, but for MF's ori, which the released rubric does not limit."""
    return inf if (task, rubric, point) == ("MF", "released", "ori") else 1


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", TASKS)
@given(response=ANY_TEXT)
@settings(max_examples=40, deadline=None)
def test_any_response_has_a_reproducible_score_within_bounds(task, rubric, response):
    for sample in samples(task)[:2]:
        first = score(*sample, response, rubric)
        again = score(*sample, response, rubric)
        assert json_line(asdict(first)) == json_line(asdict(again))
        assert first.points.keys() == WEIGHTS[rubric][task].keys()
        for point, value in first.points.items():
            assert 0 <= value <= maximum(task, rubric, point)
        assert 0 <= first.total <= max(1, *first.points.values())


@pytest.mark.parametrize("task", TASKS)
@given(response=ANY_TEXT)
@settings(max_examples=20, deadline=None)
def test_corrected_total_is_the_weighted_mean_of_its_points(task, response):
    result = score(*samples(task)[0], response, "corrected")
    weights = WEIGHTS["corrected"][task]
    points = sum(result.points[name] * weights[name].weight for name in weights)
    assert result.total == pytest.approx(points / Rubric("corrected").total_weight(task))


# The other tasks share a scorer with these.
DISTINCT = ("LSI", "LBI", "LMI", "MB", "MF", "OR", "OQ", "OE")
HOSTILE: dict[str, Callable[[int], str]] = {  # by about how many characters it has
    "opening brackets": lambda n: "[" * n,
    "double brackets never closed": lambda n: "[[ " * (n // 3),
    "nested lists": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "groups": lambda n: '[["a"], ["b"]]\n' * (n // 15),
    "one long group": lambda n: "[[" + "1," * (n // 2) + "1]]",
    "signs": lambda n: "[[" + "-" * n + "1]]",
    "sum": lambda n: "[[" + "1+" * (n // 2) + "1]]",
    "braces": lambda n: "{" * n,
    "braces and commas": lambda n: '{"doc1": "apple",' * (n // 17),
    "rows": lambda n: "#Topic# ### #Topic#\n" * (n // 20),
    "types": lambda n: "#Topic#@argument@!Transition!|Summary|*Evidence*-Concession-\n" * (n // 61),
    "blank rows": lambda n: " \n" * (n // 2) + "x",
    "backslashes": lambda n: "\\" * n,
    "prefix": lambda n: LIST[0][:16] * (n // 16),
    "elements": lambda n: "".join(LIST) * (n // len("".join(LIST))),
    "surrogates": lambda n: "\ud83d" * n,
    "zeros": lambda n: "\0" * n,
    "combining marks": lambda n: "a" + "\u0316\u0301" * (n // 2),
    "words of options": lambda n: "Yes No " * (n // 7),
    "names of documents": lambda n: "doc1 doc-22 Document 3 " * (n // 23),
    "different rows": lambda n: "\n".join(f"Sentence {i} ### #Topic#" for i in range(n // 25)),
    "single quotes": lambda n: "[['" * (n // 3),
    "escaped quotes": lambda n: '["' + '\\"' * (n // 2),
    "objects": lambda n: '{"doc1": ' * (n // 9),
    "unclosed lists": lambda n: '[["a", "b"], ' * (n // 13),
    "unclosed rows": lambda n: '[["a"\n' * (n // 6),
    "many lists": lambda n: "[1] " * (n // 4),
    "quoted groups": lambda n: "[['a'], ['b']]\n" * (n // 15),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", DISTINCT)
def test_scoring_takes_linear_time(task, rubric):
    sample = samples(task)[0]
    for name, response in HOSTILE.items():
        score(*sample, response(100), rubric)  # loads what is loaded once
        once = steps(score, *sample, response(2_000), rubric)
        twice = steps(score, *sample, response(4_000), rubric)
        assert twice <= 2.1 * once, name
        assert 0 <= score(*sample, response(4_000), rubric).total <= 1, name


@pytest.mark.wide
@pytest.mark.usefixtures("cpu_limit")  # for what C does within a step
@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", DISTINCT)
@pytest.mark.parametrize("response", HOSTILE.values(), ids=HOSTILE)
def test_hostile_responses_have_a_score(task, response, rubric):
    result = score(*samples(task)[0], response(50_000), rubric)
    assert 0 <= result.total <= 1  # none of them has entries longer than a group's first


@given(st.text(st.sampled_from("a\u0301\u0316 é\t"), max_size=60))
def test_text_is_normalized_to_its_composed_form(text):
    spelled = normalize("NFD", text)
    assert normal(spelled) == normal(text) == normal(f" {normal(text)}\n")


STRINGS = st.lists(st.text("ab", min_size=1, max_size=20), min_size=1, max_size=3)


@given(st.lists(STRINGS.map(" ".join), min_size=1, max_size=12), st.text("ab ", max_size=120))
def test_finder_prefers_the_longest_match_from_the_left(texts, text):
    text = normal(f"{text} {texts[0]} {text[:20]}")
    longest_first = "|".join(sorted(set(texts), key=len, reverse=True))
    assert Finder(texts).find(text) == re.findall(rf"(?<!\w)(?:{longest_first})(?!\w)", text)


@given(st.lists(st.sampled_from(LIST), min_size=1, max_size=5), st.data())
def test_finder_ignores_case_and_quotation_marks(texts, data):
    write = data.draw(st.sampled_from([str.upper, str.lower, lambda text: text.replace('"', "“")]))
    assert Finder(LIST).find("\n".join(map(write, texts))) == texts


@given(st.text("[]a\n ", max_size=40))
def test_double_bracketed_equals_its_pattern(text):
    assert parsing.double_bracketed(text) == re.findall(r"\[\[.*?\]\]", text)


@given(st.text("{}]a\n", max_size=40))
def test_braced_equals_its_pattern(text):
    assert parsing.braced(text) == re.findall(r"\{[^\]]+\}", text)


def test_json_that_is_too_deep_is_not_read():
    assert parsing.parse_json("[" * 100_000 + "]" * 100_000) == (False, None)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["é"], "Ã©"), (["\\u00e9"], "é"), (["\\x4"], "\\x4"), (["\\x4", "é"], "Ã©")],
)
def test_unescape_spoils_non_ascii(arguments, text):
    assert parsing.unescape(*arguments) == text


@given(
    st.lists(st.text("ab", min_size=1, max_size=40), min_size=1, max_size=20),
    st.text("ab", max_size=200),
    st.randoms(use_true_random=False),
)
def test_all_elements_in_a_response_are_counted(elements, response, rng):
    response += rng.choice(elements) + response[:20]
    counts = ListFacts(elements).counts(response)
    every = {index: response.count(element) for index, element in enumerate(elements)}
    assert counts == {index: count for index, count in every.items() if count}


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("response", ["", "  \n"])
def test_empty_response_scores_0(response, rubric):
    for task in TASKS:
        result = score(*samples(task)[0], response, rubric)
        assert result.total == 0 and not any(result.points.values())


def test_unknown_rubric_is_reported():
    with pytest.raises(UserError, match="fancy"):
        score(*samples("LSI")[0], "x", rubric="fancy")


def test_quoted_none_is_not_a_missing_field():
    sample = samples("MF")[3]
    missing = score(*sample, '[["Last", "gQ7"], [null, "cQ3"]]').points["ori"]
    quoted = score(*sample, '[["Last", "gQ7"], ["None", "cQ3"]]').points["ori"]
    assert missing == 1 and quoted < 1


@given(
    st.text("ab :\n\0é\ud800😀", max_size=200),
    st.sets(st.text("ab :\n\0é\ud800😀", max_size=25), max_size=40),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 40)), max_size=30),
)
@settings(deadline=None)
def test_text_index_finds_all_contained_texts(text, texts, slices):
    texts |= {text[start : start + size] for start, size in slices}
    assert TextIndex(text).present(texts) == {sought for sought in texts if sought in text}


def test_text_index_looks_many_texts_up():
    text = "aabb: ab\nb\0aé: abaabz"
    texts = set(map("".join, product("ab\0é", repeat=3)))
    for start in range(len(text)):
        for piece in (text[start : start + 8], text[start : start + 9], text[start:]):
            texts |= {piece, f"{piece}a", f"{piece}\0", f"a{piece}"}
    assert TextIndex(text).present(texts) == {sought for sought in texts if sought in text}


@given(st.text("doc0123٣ ", max_size=60), st.integers(1, 130))
def test_document_counts_as_named_within_a_longer_name(response, n):
    labels = ["a"] * n
    marks = label_documents(response, MultiDocFacts("", []), labels, ["a"])
    named = sum(f"doc{number}" in response for number in range(1, n + 1))
    assert marks.points["format"] == 2 * named / n + 2 * parsing.parse_json(response)[0]


def test_allowed_edits_by_length():
    for length, edits in ((60, 13), (18, 6), (6, 2), (1, 0)):
        assert allowed_edits("x" * length) == edits


def test_text_of_a_json_string_is_no_list():
    assert values_in('"a, b"', "[") == (True, ["a, b"])
    assert values_in('"7"', "[") == (True, ["7"])
    assert values_in('"[1]"', "[")[0] is False
