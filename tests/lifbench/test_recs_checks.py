from collections import Counter
from random import Random

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


def test_each_check_has_its_word():
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


def test_braces_that_are_no_fields_are_doubled_and_lost_fields_stay_lost():
    single = 'By {rules}, write JSON like {"doc1": "{candidates[1]}"} from {candidates}.'
    text = MB.mended(single)
    assert MB.status(text) == PASS
    assert text == single.replace('{"', '{{"').replace('"}', '"}}')
    lost = 'By the rules, write JSON like {"doc1": "{candidates[1]}"} from {candidates}.'
    assert (MB.mended(lost), MB.status(lost)) == (lost, "fields")


@given(st.text(alphabet='{}ab[]0!:" '))
def test_any_text_is_checked_and_any_doubling_can_be_parsed(text):
    status = MB.status(MB.mended(text))
    assert status in {PASS, "fields", "terms", "examples", "length", "language"}
    doubled = double_braces(text, Counter(["{a}"]))
    assert set(fields_of(doubled) or ()) <= {"{a}"}
    assert double_braces(doubled, Counter(["{a}"])) == doubled


def test_candidates_are_numbered_originals_first_and_nothing_is_dropped():
    rewrites = {
        "m": [
            "What comes  NEXT after the {ordid} entry of the list?",
            "Name the entry after the {ordid} in the list.",
            "Nothing of the kind.",
        ],
        "n": ["name the entry after\nthe {ordid} in the list."],
    }
    found = list(checked(LOI, rewrites))
    assert [one["text_id"] for one in found] == [0, 1, 2, 3, 4]
    assert [one["rewriter"] for one in found] == ["hand-written", "m", "m", "m", "n"]
    assert [one["status"] for one in found] == ["pass", "duplicate", "pass", "fields", "duplicate"]
    assert all(one["direction"] == 1 for one in found)


@pytest.mark.quick(3)
@pytest.mark.parametrize("task", TASKS)
def test_rewordings_of_a_stand_in_pass_all_checks_of_every_own_template(task):
    for one in expressions(task)["expressions"]:
        original = Original(task, one["direction"], one["template"])
        assert original.status(one["template"]) == PASS
        for text in _rewordings(one["template"], 99, Random(1)):
            assert (original.mended(text), original.status(text)) == (text, PASS)


@pytest.mark.parametrize("task", TASKS)
def test_the_first_own_template_is_the_original_and_says_its_direction(task):
    text = original_of({}, TASKS[task].worded, "own", None)
    direction = 1 if TASKS[task].directions else None
    own = expressions(task)["expressions"]
    assert text == next(e["template"] for e in own if e["direction"] == direction)
    without = text
    for word in ("down", "underneath", "lower", "higher", "past", "further", "until"):
        without = without.replace(word, "")
    if direction:
        assert "direction" in Original(task, direction, text).failures(without)


def test_what_is_to_be_kept_of_an_own_original_is_found():
    for task, kept in (
        ("OR", {"{num}", "{sep}", "key sentence", "#Topic#", "-Concession-"}),
        ("OE", {"{type}", "key sentence", "json", "[]"}),
        ("LMI", {"{id_arr}", "json"}),
        ("MB", {"{rules}", "json", '{{"doc1": "{candidates[2]}", "doc2": "{candidates[0]}"}}'}),
        ("MF", {"{info_text}", "{example}", "json", "null"}),
    ):
        original = original_of({}, TASKS[task].worded, "own", None)
        assert kept <= set(Original(task, None, original).keep), task
