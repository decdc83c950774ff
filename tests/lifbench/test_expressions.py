import re
import string
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import CASES, expressions, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.benchmarks.lifbench.expressions import read_templates
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import released_name
from steadfast.benchmarks.lifbench.templates import check_expressions, check_template, fill

COUNTS = {"LOI": 11, "LOE": 12, "LBI": 11, "LBE": 12}


def checked(task: str, path: Path) -> list[dict]:
    return check_expressions(TASKS[task], read_templates(str(path)), path)


@pytest.mark.parametrize("task", TASKS)
def test_own_templates_are_as_many_as_table_2_says(task):
    record = expressions(task)
    assert len(record["expressions"]) == COUNTS.get(task, 5)
    assert {e["origin"] for e in record["expressions"]} == {"hand-written"}
    directions = Counter(e["direction"] for e in record["expressions"])
    assert directions[1] == (6 if task in COUNTS else 0)


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_own_templates_share_no_run_of_six_words_with_a_released_one(task):
    def runs(text):
        words = re.findall(r"[a-z0-9]+", text.lower())
        return {tuple(words[k : k + 6]) for k in range(len(words) - 5)}

    tasks = read_json(CASES / "released" / "tasks.json")
    entries = tasks[TASKS[task].scenario]["subtasks"][released_name(task)]["instructions"]
    released = runs(" | ".join(e if isinstance(e, str) else e[0] for e in entries))
    for expression in expressions(task)["expressions"]:
        assert not runs(expression["template"]) & released


def test_fill_writes_what_format_writes():
    template = 'one of {candidates}, like {{"doc1": "{candidates[1]}"}}'
    variables = {"candidates": ["a", "b'c"]}
    assert fill(template, variables, "x") == template.format(**variables)


@given(st.dictionaries(st.sampled_from("abc"), st.text() | st.integers(), min_size=3), st.text())
def test_fill_keeps_braces_in_values(values, literal):
    escaped = literal.replace("{", "{{").replace("}", "}}")
    template = escaped + "".join(f"{{{name}}}" for name in values)
    assert fill(template, values, "x") == literal + "".join(map(str, values.values()))


@given(st.text(alphabet=string.printable))
def test_any_template_is_filled_or_refused_in_one_sentence(template):
    try:
        fill(template, {"num": 1}, "e.yaml: entry 1")
    except UserError as error:
        assert str(error).startswith("e.yaml: entry 1")


def test_fields_that_reach_further_than_a_name_are_refused():
    for field in (
        "num.__class__",
        "num[0].x",
        "options[x]",
        "options[-1]",
        "num!r",
        "num:>99",
        "",
        "0",
        "num:{a}",
    ):
        with pytest.raises(UserError, match="LSI expression 0"):
            fill(f"take {{{field}}}", {"num": 1, "options": ["a"]}, "e.yaml: LSI expression 0")


def test_template_variables_are_known_and_shown():
    with pytest.raises(UserError, match="unknown variable 'ordis'; did you mean 'ordid'"):
        check_template("the {ordis} entry", ["ordid|id"], "x")
    with pytest.raises(UserError, match=r"does not show \{sep\}"):
        check_template("write {num} lines", ["num", "sep"], "x")
    check_template("number {id}", ["ordid|id"], "x")
    with pytest.raises(UserError, match="smaller number"):
        fill("{options[2]}", {"options": ["a", "b"]}, "x")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("task", "text", "sentence"),
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
def test_a_bad_file_ends_in_one_clear_sentence(task, text, sentence, tmp_path):
    path = write(tmp_path / f"{task}.yaml", text)
    with pytest.raises(UserError, match=sentence) as error:
        checked(task, path)
    said = str(error.value).removeprefix("config: ")
    assert said.startswith(str(path)) and "\n" not in said


def test_a_repeated_id_is_refused(tmp_path):
    entry = "{expression_id: 0, template: '{ordid}'}"
    path = write(tmp_path / "LSI.yaml", f"expressions: [{entry}, {entry}]")
    with pytest.raises(UserError, match="expression_id of its own"):
        checked("LSI", path)
