"""Mistakes in the file of a task of one's own, and in its functions: one sentence each."""

import copy
import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from own_task_examples import EXAMPLES, FILES, asked, reader, sample, scorer
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.own_tasks.tasks import own_tasks, read_task
from steadfast.contract.components import Answer

FUNCTIONS = """
def few(response, prompt, context): return {"format": 1}
def many(response, prompt, context): return {"format": 1, "correct": 1.5, "order": 0}
def broken(response, prompt, context): return response[10**6]
def nothing(context, space, rng): return []
def odd(context, space, rng): return [({"id": {1}}, {})]
def pair(context, space, rng): return [{"id": 1}]
def silent(prompt, context): return None
"""


@pytest.fixture
def write(tmp_path):
    """Writes the first example changed, beside some functions, and gives its path."""
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "neighbours.py").write_bytes((EXAMPLES / "neighbours.py").read_bytes())

    def write(change=None, **changes):
        content = yaml.safe_load(Path(FILES["LNB"]).read_text())
        for place, value in changes.items():
            *way, last = place.split("__")
            inner = content
            for step in way:
                inner = inner[int(step) if isinstance(inner, list) else step]
            inner[last] = value
            if value is None:
                del inner[last]
        path = tmp_path / "task.yaml"
        path.write_text(change if change is not None else yaml.safe_dump(content, sort_keys=False))
        return str(path)

    return write


def test_the_floor_sees_no_gold(write):
    tasks = own_tasks({"LNB": write(stand_ins__floor="{post_element}")}, counts=False)
    with pytest.raises(UserError, match="unknown variable 'post_element'"):
        reader(tasks).floor(sample(asked(tasks)[0]))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"scenari": "list"}, "unknown key 'scenari'; did you mean 'scenario'"),
        ({"scoring": None}, "'scoring' is missing; see docs/new-task.md"),
        ({"scenario": "lists"}, "scenario: 'lists' is not one of 'list', 'multidoc'"),
        ({"max_tokens": "9"}, "max_tokens: Input should be a valid integer, not '9'"),
        ({"points__order__weight": 0}, "points.order.weight: Input should be greater than 0"),
        ({"points__a b": {"weight": 1, "capabilities": ["Fmt"], "asks": "x"}}, "letters, digits"),
        ({"points__order__capabilities": ["Spatial"]}, "'Spatial' is not one of 'Ori', 'Num'"),
        ({"points__order__asks": None}, "'points.order.asks' is missing"),
        ({"variables__draw": "position"}, "unknown kind 'position'; did you mean 'positions'"),
        ({"variables__draw": "types"}, "contexts of the scenario onedoc, not list"),
        ({"variables__space": {"sizes": [2]}}, "variables.space: unknown key 'sizes'"),
        ({"variables__space__margin": 0}, "variables.neighbours: only positions with a margin"),
        ({"variables__shown": ["ordinal"]}, "shown: positions gives no 'ordinal'; did you mean"),
        ({"variables__draw": "other.py:draw"}, "other.py: no such file; put it beside"),
        ({"scoring": "functions.py:scor"}, "has no function 'scor'"),
        ({"scoring": "score"}, "'score' names no function; write file.py:function"),
        ({"scoring": "functions:score"}, "'functions:score' names no function"),
        ({"scoring": "no_package.mod:f"}, "there is no module no_package.mod; install its package"),
        ({"scoring": "steadfast.mod:f"}, "there is no module steadfast.mod; install its package"),
        ({"stand_ins__reference": {"functio": "a.py:f"}}, "unknown key .*did you mean 'function'"),
        ({"stand_ins__reference": None}, "'stand_ins.reference' is missing"),
        (
            {"expressions__0__template": "no field"},
            r"LNB expression 0: .* show \{ordid\} or \{id\}",
        ),
        ({"expressions__1__expression_id": 0}, "expressions: every expression needs"),
        ({"expressions__0__direction": 1}, "LNB has no directions; remove 'direction'"),
        ({"expressions": []}, "expressions: List should have at least 1 item"),
        ({"change": "a: [1"}, r"task.yaml:1: no valid YAML"),
        ({"change": "name: a\nname: b\n"}, "key 'name' stands on line 1 already"),
        ({"change": "- 1\n"}, "it holds no keys"),
        ({"name": date(2001, 1, 1)}, "name: a date is no plain value"),
    ],
    ids=lambda value: None if isinstance(value, dict) else re.sub(r"\W+", "-", value)[:40],
)
def test_a_mistake_is_one_sentence_that_names_file_and_key(write, changes, complaint):
    path = write(**changes)
    with pytest.raises(UserError, match=complaint) as found:
        own_tasks({"LNB": path}, counts=False)
    assert Path(path).name in str(found.value) or "functions.py" in str(found.value)
    assert "\n" not in str(found.value)


def test_settings_that_differ_in_their_keys_are_named(write):
    space = {"settings": [{"id": 1}, {"ordid": 2}]}
    path = write(variables__draw="listed", variables__neighbours=False, variables__space=space)
    with pytest.raises(UserError, match=r"variables\.space: settings: give every setting the same"):
        read_task(path)


def test_a_file_that_is_no_python_is_named_and_not_run(write, tmp_path):
    path = write()
    (tmp_path / "neighbours.py").write_text("def score(:\n")
    with pytest.raises(UserError, match=r"neighbours.py: no valid Python"):
        read_task(path)
    (tmp_path / "neighbours.py").write_text("1 / 0\ndef score(a, b, c): ...\n")
    assert read_task(path).scoring.endswith("neighbours.py:score")


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("few", "it gives format; return a share for each of format, correct, order, no other"),
        ("many", "it gives 1.5 for correct; return a number from 0 to 1"),
        ("broken", r"failed on LNB/list-4k-s1/e0/v0 \(IndexError: .*; mend the function"),
    ],
)
def test_a_scoring_function_that_is_wrong_gives_no_score(write, function, complaint):
    tasks = own_tasks({"LNB": write(scoring=f"functions.py:{function}")}, counts=False)
    with pytest.raises(UserError, match=complaint):
        scorer(tasks).score(sample(asked(tasks)[0]), Answer("ok", "x"), {})


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("nothing", "of context list-4k-s1 it gives no list of settings"),
        ("pair", "gives no list of settings; return pairs of two mappings"),
        ("odd", "setting 0: 0.id: a set is no plain value"),
    ],
)
def test_a_drawing_function_that_is_wrong_is_named(write, function, complaint):
    draw = f"functions.py:{function}"
    path = write(variables__draw=draw, variables__neighbours=False)
    with pytest.raises(UserError, match=complaint):
        asked(own_tasks({"LNB": path}, counts=False))


def test_an_answering_function_that_gives_no_text_is_named(write):
    tasks = own_tasks(
        {"LNB": write(stand_ins__reference={"function": "functions.py:silent"})}, counts=False
    )
    with pytest.raises(UserError, match="it gives None; return a text"):
        reader(tasks).reference(sample(asked(tasks)[0]))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(value=PLAIN, data=st.data())
def test_any_value_at_any_place_is_read_or_refused(tmp_path_factory, value, data):
    content = copy.deepcopy(yaml.safe_load(Path(FILES["LCI"]).read_text()))
    inner = content
    while isinstance(inner, dict | list) and inner:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(inner[key], dict | list) or data.draw(st.booleans()):
            inner[key] = value
            break
        inner = inner[key]
    path = EXAMPLES / "identifiers.yaml"
    folder = tmp_path_factory.getbasetemp()
    (folder / "identifiers.py").write_bytes(path.with_suffix(".py").read_bytes())
    (folder / "any.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    try:
        own_tasks({"LCI": str(folder / "any.yaml")}, counts=False)
    except UserError as error:
        assert "any.yaml" in str(error)
