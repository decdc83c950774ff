import re
import string
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import expressions, needs_cases, released_templates
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.expressions import read_templates
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.templates import check_expressions, check_template, fill

COUNTS = {"LOI": 11, "LOE": 12, "LBI": 11, "LBE": 12}


def checked(task: str, path: Path) -> list[dict]:
    return check_expressions(TASKS[task], read_templates(str(path)), path)


@pytest.mark.parametrize("task", TASKS)
def test_own_templates_have_the_counts_of_table_2(task):
    record = expressions(task)
    assert len(record["expressions"]) == COUNTS.get(task, 5)
    rows = pd.DataFrame(record["expressions"])
    assert set(rows["origin"]) == {"hand-written"}
    assert sum(rows["direction"] == 1) == (6 if task in COUNTS else 0)


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_own_templates_share_no_six_words_in_a_row_with_released_ones(task):
    def runs(text):
        words = re.findall(r"[a-z0-9]+", text.lower())
        return {tuple(words[k : k + 6]) for k in range(len(words) - 5)}

    released = set()
    for template, _ in released_templates(task):
        released |= runs(template)
    for expression in expressions(task)["expressions"]:
        assert not runs(expression["template"]) & released


def test_fill_equals_str_format():
    template = 'one of {candidates}, like {{"doc1": "{candidates[1]}"}}'
    variables = {"candidates": ["a", "b'c"]}
    assert fill(template, variables, "x") == template.format(**variables)


@given(st.dictionaries(st.sampled_from("abc"), st.text() | st.integers(), min_size=3), st.text())
def test_fill_keeps_braces_in_values(values, literal):
    escaped = literal.replace("{", "{{").replace("}", "}}")
    template = escaped + "".join(f"{{{name}}}" for name in values)
    assert fill(template, values, "x") == literal + "".join(map(str, values.values()))


@given(st.text(alphabet=string.printable))
def test_any_template_is_filled_or_refused_with_its_source(template):
    try:
        fill(template, {"num": 1}, "e.yaml: entry 1")
    except UserError as error:
        assert str(error).startswith("e.yaml: entry 1")


@pytest.mark.parametrize(
    "field",
    [
        "num.__class__",
        "num[0].x",
        "options[x]",
        "options[-1]",
        "num!r",
        "num:>99",
        "",
        "0",
        "num:{a}",
    ],
)
def test_attributes_items_and_formats_of_fields_are_refused(field):
    with pytest.raises(UserError, match="LSI expression 0"):
        fill(f"take {{{field}}}", {"num": 1, "options": ["a"]}, "e.yaml: LSI expression 0")


def test_template_has_all_variables_and_no_unknown():
    with pytest.raises(UserError, match="unknown variable 'ordis'; did you mean 'ordid'"):
        check_template("the {ordis} entry", ["ordid|id"], "x")
    with pytest.raises(UserError, match=r"does not show \{sep\}"):
        check_template("write {num} lines", ["num", "sep"], "x")
    check_template("number {id}", ["ordid|id"], "x")


def test_missing_item_of_a_variable_is_reported():
    with pytest.raises(UserError, match="smaller number"):
        fill("{options[2]}", {"options": ["a", "b"]}, "x")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        ("LSI", "expressions: [", r"LSI.yaml:\d+: invalid YAML .* correct that line"),
        ("LSI", "- a", "contains no keys; docs/lifbench-prompts.md lists them"),
        ("LSI", "expressions: []", "at least 1 item"),
        ("LSI", "expresions: []", "did you mean 'expressions'"),
        ("LSI", "expressions: [{expression_id: 0, templat: x}]", "did you mean 'template'"),
        ("LSI", "expressions: [{expression_id: 0}]", r"'expressions.0.template' is missing"),
        ("LSI", "expressions: [{expression_id: 0, template: '{ordid'}]", "braces .* do not match"),
        ("LSI", "expressions: [{expression_id: 0, template: '{ordid}', direction: 1}]", "remove"),
        ("LOI", "expressions: [{expression_id: 0, template: '{ordid}'}]", "direction: 1"),
        ("LOI", "expressions: [{expression_id: 0, template: '{ordid}', direction: 2}]", "-1"),
    ],
)
def test_invalid_file_is_reported_with_its_path(task, text, message, tmp_path):
    path = write(tmp_path / f"{task}.yaml", text)
    with pytest.raises(UserError, match=message) as error:
        checked(task, path)
    error_message = str(error.value).removeprefix("config: ")
    assert error_message.startswith(str(path)) and "\n" not in error_message


def test_duplicate_id_is_refused(tmp_path):
    entry = "{expression_id: 0, template: '{ordid}'}"
    path = write(tmp_path / "LSI.yaml", f"expressions: [{entry}, {entry}]")
    with pytest.raises(UserError, match="expression_id of its own"):
        checked("LSI", path)
