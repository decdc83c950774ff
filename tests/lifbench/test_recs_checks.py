import re
from collections import Counter
from random import Random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs.checks import (
    PASS,
    Original,
    checked,
    double_braces,
    fields_of,
)
from steadfast.benchmarks.lifbench.recs.requests import original_of
from steadfast.judging.rewriting import _rewordings

LOI = Original("LOI", 1, "What comes next after the {ordid} entry of the list?")
OQ = Original(
    "OQ", None, 'Is "{evidence}" a KEY SENTENCE? Say {options[0]} or {options[1]}, and only that.'
)
MB = Original(
    "MB", None, 'Label with {candidates} by {rules} as JSON: {{"doc1": "{candidates[1]}"}}'
)
OR = Original("OR", None, "Give {num} key sentences with {sep}, like [SENTENCE 1] {sep} #Topic#.")


def test_each_check_has_its_status():
    for original, text, status in (
        (LOI, "Name the entry that follows the {ordid} in the list.", PASS),
        (LOI, "Name the entry after that one in the list.", "fields"),
        (LOI, "Name the entry after the {ordid}, not the {ordid} one.", "fields"),
        (LOI, "Name the entry after the {order} in the list.", "fields"),
        (LOI, "Name the entry after the {ordid!r} in the list.", "fields"),
        (LOI, "Name the entry after the {ordid:>9} in the list.", "fields"),
        (LOI, "Name the entry at the {ordid} place of the list.", "direction"),
        (LOI, "After {ordid}?", "length"),
        (LOI, "Name the entry after the {ordid}. " + "Do it now, please. " * 8, "length"),
        (LOI, "Quelle est la ligne après le {ordid} dans la liste (next) ?", "language"),
        (OQ, 'Say {options[0]} if "{evidence}" is a KEY SENTENCE, and {options[1]} if not.', PASS),
        (OQ, 'Say {options[0]} if "{evidence}" is the POINT, {options[1]} if not.', "terms"),
        (OQ, 'Say {options[0]} if "{evidence}" is a key sentence, {options[1]} if not.', "terms"),
        (MB, 'By {rules}, write json like {{"doc1":"{candidates[1]}"}} from {candidates}.', PASS),
        (MB, 'By {rules}, write JSON with {{"d": "{candidates[1]}"}}, {candidates}.', "examples"),
        (OR, "Write {num} Key Sentences with {sep}: [SENTENCE  1] {sep} #Topic#", PASS),
        (OR, "Write {num} key sentences with {sep}: [PHRASE 1] {sep} #Topic#", "examples"),
        (OR, "Write {num} key sentences with {sep}: [SENTENCE 1] {sep} #Thesis#", "examples"),
        (OR, "Write {num} sentences with {sep}: [SENTENCE 1] {sep} #Topic#", "terms"),
    ):
        assert (original.mended(text), original.status(text)) == (text, status), original


def test_fields_are_counted_and_all_to_be_kept():
    assert fields_of("{num} and {num}, like {{this}}") == Counter({"{num}": 2})
    assert LOI.keep == ("{ordid}",)


def test_rewrite_has_from_three_tenths_to_three_times_the_characters():
    original = Original("LOI", None, "Ten of it.")
    lengths = [n for n in range(40) if "length" not in original.failures("x" * n)]
    assert lengths == list(range(3, 31))


def test_braces_that_are_no_fields_are_doubled():
    single = 'By {rules}, write JSON like {"doc1": "{candidates[1]}"} from {candidates}.'
    text = MB.mended(single)
    assert MB.status(text) == PASS
    assert text == single.replace('{"', '{{"').replace('"}', '"}}')


def test_doubled_braces_bring_no_lost_field_back():
    lost = 'By the rules, write JSON like {"doc1": "{candidates[1]}"} from {candidates}.'
    assert (MB.mended(lost), MB.status(lost)) == (lost, "fields")


@given(st.text(alphabet='{}ab[]0!:" '))
def test_any_text_has_a_status_and_braces_that_can_be_parsed(text):
    status = MB.status(MB.mended(text))
    assert status in {PASS, "fields", "terms", "examples", "length", "language"}
    doubled = double_braces(text, Counter(["{a}"]))
    assert set(fields_of(doubled) or ()) <= {"{a}"}
    assert double_braces(doubled, Counter(["{a}"])) == doubled


def test_candidates_are_numbered_from_the_original_and_none_is_dropped():
    rewrites = {
        "m": [
            "What comes  NEXT after the {ordid} entry of the list?",
            "Name the entry after the {ordid} in the list.",
            "Nothing of the kind.",
        ],
        "n": ["name the entry after\nthe {ordid} in the list."],
    }
    rows = pd.DataFrame(checked(LOI, rewrites))
    assert not rows.pop("mended").any()
    rows = rows[["text_id", "rewriter", "status", "direction"]]
    assert rows.values.tolist() == [
        [0, "hand-written", "pass", 1],
        [1, "m", "duplicate", 1],
        [2, "m", "pass", 1],
        [3, "m", "fields", 1],
        [4, "n", "duplicate", 1],
    ]


@pytest.mark.quick(3)
@pytest.mark.parametrize("task", TASKS)
def test_simulated_rewrites_of_own_templates_pass_all_checks(task):
    for expression in expressions(task)["expressions"]:
        template = expression["template"]
        original = Original(task, expression["direction"], template)
        assert original.status(template) == PASS
        for text in _rewordings(template, 99, Random(1)):
            assert (original.mended(text), original.status(text)) == (text, PASS)


@pytest.mark.parametrize("task", TASKS)
def test_first_own_template_is_the_original(task):
    direction = 1 if TASKS[task].directions else None
    own = [row for row in expressions(task)["expressions"] if row["direction"] == direction]
    assert original_of({}, TASKS[task].expression_settings, "own", None) == own[0]["template"]


@pytest.mark.parametrize("task", ["LOI", "LOE", "LBI", "LBE"])
def test_original_without_its_directional_words_fails(task):
    text = original_of({}, TASKS[task].expression_settings, "own", None)
    without = re.sub("down|underneath|lower|higher|past|further|until", "", text)
    assert "direction" in Original(task, 1, text).failures(without)


@pytest.mark.parametrize(
    ("task", "terms"),
    [
        ("OR", {"{num}", "{sep}", "key sentence", "#Topic#", "-Concession-"}),
        ("OE", {"{type}", "key sentence", "json", "[]"}),
        ("LMI", {"{id_arr}", "json"}),
        ("MB", {"{rules}", "json", '{{"doc1": "{candidates[2]}", "doc2": "{candidates[0]}"}}'}),
        ("MF", {"{info_text}", "{example}", "json", "null"}),
    ],
)
def test_required_terms_of_own_originals(task, terms):
    original = original_of({}, TASKS[task].expression_settings, "own", None)
    assert terms <= set(Original(task, None, original).keep)
