"""The files of data sets: what is asked of a record, and what is no record."""

import json
import re

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract import registry
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.simple.datasets import DataSet
from steadfast.simple.records import placed

PLAIN = {"prompt": "Which?", "answer": "blue"}
MODELS = {"reference": {"engine": "reference"}}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes records, or lines as they are, into a file of the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(*records, name="data.jsonl"):
        lines = (one if isinstance(one, str) else json.dumps(one) for one in records)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return name

    return write


def config(**section):
    return {"datasets": {"mine": {"path": "data.jsonl", **section}}, "models": MODELS}


def asked(**section):
    return [one for _, one in placed(**DataSet(path="data.jsonl", **section).reading)]


def refused(raw):
    with pytest.raises(UserError) as caught:
        load_config(raw)
    return str(caught.value)


# --- what is asked ----------------------------------------------------------------------------


def test_a_context_stands_before_the_prompt_and_choices_behind_it(file):
    file({**PLAIN, "context": "A text.", "choices": ["red", "blue"], "answer": "B"})
    (one,) = asked(scorer="choice")
    assert one.before + one.context + one.prompt == "A text.\n\nWhich?\nA. red\nB. blue"
    assert (one.id, one.context, one.reference_answer) == ("1", "A text.", "B")


def test_a_template_places_the_fields_of_a_record(file):
    file({"q": "Which {{q}}?", "n": 3, "context": "A text.", "answer": "x"})
    (one,) = asked(scorer="exact", template="{{n}}: {{context}} | {{q}}")
    assert (one.before, one.context, one.prompt) == ("3: ", "A text.", " | Which {{q}}?")


def test_names_groups_and_fields_are_texts(file):
    file({**PLAIN, "id": 7, "group": 2, "level": 3}, "", {**PLAIN, "group": "b", "level": "x"})
    first, second = asked(scorer="exact", by=["level"])
    assert (first.id, first.group, first.by) == ("7", "2", {"level": "3"})
    assert (second.id, second.cluster) == ("3", "b")  # the line's number, blank lines counted


def test_what_is_drawn_is_the_group_the_context_or_the_record(file):
    file({**PLAIN, "context": "A"}, {**PLAIN, "context": "A"}, PLAIN)
    first, second, third = asked(scorer="exact")
    assert first.cluster == second.cluster != third.cluster == "3"


# --- what is no record ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "section", "sentence"),
    [
        ("{", {}, "corrupt JSON line"),
        ("[1]", {}, "a JSON object was expected, not list"),
        ({"answer": "x"}, {}, "no field 'prompt'; available: answer"),
        ({**PLAIN, "contxt": "A"}, {}, "unknown field 'contxt'; did you mean 'context'?"),
        ({**PLAIN, "prompt": 3}, {}, "prompt is 3; write a string"),
        ({**PLAIN, "id": 1.5}, {}, "id is 1.5; write a string or an integer"),
        ({**PLAIN, "id": "a"}, {}, "duplicate id 'a', also in line 1; change one"),
        ({"prompt": "?"}, {}, "answer is null; write a string, a number, or a list"),
        ({**PLAIN, "answer": True}, {}, "answer is True; write a string, a number"),
        ({**PLAIN, "answer": []}, {}, "answer is \\[\\]; write a string"),
        ({**PLAIN, "answer": [["x"]]}, {}, "answer is \\[\\['x'\\]\\]; write"),
        ({**PLAIN, "choices": ["a"]}, {"scorer": "choice"}, "choices must be a list of 2 to 26"),
        ({**PLAIN, "choices": ["a", "a"]}, {"scorer": "choice"}, "different strings"),
        (
            {**PLAIN, "choices": ["a", "b"], "answer": "c"},
            {"scorer": "choice"},
            "scorer choice does not give the reference answer 'c' full marks; correct the",
        ),
        (
            {**PLAIN, "answer": "two"},
            {"scorer": "number"},
            "number does not give .* 'two' full marks",
        ),
        ({**PLAIN, "answer": "the"}, {"scorer": "f1"}, None),
        (
            {**PLAIN, "reference": "It is red."},
            {"scorer": "contains"},
            "answer 'It is red.' full marks",
        ),
        (
            {**PLAIN, "answer": "(?=a)"},
            {"scorer": "regex"},
            "'\\(\\?=a\\)' is not a regular expression of RE2",
        ),
        ({**PLAIN, "answer": "[0-9]"}, {"scorer": "regex"}, "add a response that matches"),
        (
            {**PLAIN, "answer": "[0-9]", "reference": "x"},
            {"scorer": "regex"},
            "scorer regex does not give the reference answer 'x' full marks",
        ),
        ({**PLAIN, "answer": "[0-9]", "reference": "7"}, {"scorer": "regex"}, None),
        (PLAIN, {"by": ["topic"]}, "no field 'topic'"),
        ({**PLAIN, "topic": None}, {"by": ["topic"]}, "topic is null; write a string or a number"),
        ({**PLAIN, "context": "A"}, {"template": "{{prompt}}"}, "the template no {{context}}"),
        (PLAIN, {"template": "{{promt}}"}, "no field 'promt'; did you mean 'prompt'?"),
        ('{"prompt": "\\ud800", "answer": "x"}', {}, "a string has half a Unicode character"),
        ('{"prompt": "?", "answer": NaN}', {}, "JSON compliant"),
        ({**PLAIN, "prompt": " "}, {}, "empty prompt; add one"),
        ({**PLAIN, "group": "g"}, {}, "only some instances have a group"),
    ],
)
def test_a_line_that_is_no_record_is_named_before_anything_runs(file, line, section, sentence):
    whole = {"id": "a", "topic": "x", **PLAIN, "choices": ["blue", "red"]}
    numbered = section.get("scorer") in ("number", "regex")
    file({**whole, **({"answer": "7", "reference": "7"} if numbered else {})}, line)
    raw = config(**{"scorer": "exact", **section})
    if sentence is None:
        load_config(raw)
        return
    said = refused(raw)
    assert re.search(sentence, said) and "data.jsonl" in said and "\n" not in said


def test_an_empty_file_and_one_that_is_not_there_are_named(file):
    file("")
    assert "data.jsonl: no instances" in refused(config(scorer="exact"))
    raw = config(scorer="exact", path="no.jsonl")
    assert "datasets.mine.path: no.jsonl: no such file; correct the path" in refused(raw)


# --- the config -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"scorer": "exakt"}, "datasets.mine.scorer: 'exakt' is not one of 'exact', 'contains'"),
        ({"scorer": "exact", "templat": "x"}, "mine.templat'; did you mean 'template'?"),
        ({}, "'datasets.mine.scorer' is missing"),
        (
            {"scorer": "exact", "tolerance": 1.0},
            "scorer exact has no option tolerance; remove it",
        ),
        (
            {"scorer": "f1", "ignore": ["case"]},
            "has no option ignore; .* exact or contains or regex",
        ),
        ({"scorer": "exact", "ignore": ["cases"]}, "datasets.mine.ignore.0: 'cases' is not one of"),
        ({"scorer": "judge", "scale": [1.0, 0.0]}, "scale: name the lowest score first"),
        ({"scorer": "judge", "scale": [1.0, 1.0]}, "scale: name the lowest score first"),
        ({"scorer": "exact", "template": "{{context}}{{context}}"}, "{{context}} may occur once"),
        (
            {"scorer": "regex", "pattern": "(a"},
            r"datasets.mine.pattern: '\(a' is not a regular expression of",
        ),
        ({"scorer": "judge"}, "judges: mine needs a judge; add one under judges"),
        ({"scorer": "judge", "judge_template": "no.txt"}, "no.txt: no such file"),
        (
            {"scorer": "judge", "judge_template": "bad.txt"},
            "the slot {{answer}} is missing",
        ),
    ],
)
def test_a_section_that_cannot_be_used_is_one_sentence(file, section, sentence):
    file(PLAIN)
    file("Is {{prompt}} answered?", name="bad.txt")
    with pytest.raises(UserError, match=sentence):
        load_config(config(**section))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("my/set", "benchmark name 'my/set' cannot name files; use letters"),
        ("lifbench", "a benchmark 'lifbench' exists already"),
        ("plan", "benchmark plan: this is the name of a rule or folder"),
        ("journal", "benchmark journal: this is the name of a rule or folder"),
        ("cfbench_data", "benchmark cfbench_data: this is the name of a rule or folder"),
        ("cfbench_tables", "benchmark cfbench_tables: this is the name of a rule or folder"),
        ("contexts", "benchmark contexts: this is the name of a rule or folder"),
    ],
)
def test_a_name_that_is_taken_or_names_no_folder_is_refused(file, name, sentence):
    file(PLAIN)
    section = {"path": "data.jsonl", "scorer": "exact"}
    with pytest.raises(UserError, match=sentence):
        Evaluation(load_config({"datasets": {name: section}, "models": MODELS}))


def test_data_sets_run_by_default_and_are_named_beside_others(file):
    file(PLAIN)
    raw = config(scorer="exact")
    assert load_config(raw).benchmarks == ["mine"]
    assert load_config({**raw, "benchmarks": ["lifbench", "mine"]}).running == ["reference"]
    assert "'min' is not one of" in refused({**raw, "benchmarks": ["min"]})
    assert list(Evaluation(load_config(raw)).tasks) == [*registry.benchmarks(), "mine"]


def test_the_config_with_its_defaults_is_a_config_again(file):
    file(PLAIN)
    once = load_config(config(scorer="exact", by=["answer"]))
    again = load_config(once.model_dump(mode="json"))
    assert again.model_dump() == once.model_dump()


def test_a_user_s_file_counts_by_its_content_and_the_scorer_asks_nobody(file):
    file(PLAIN)

    def steps(**section):
        found = InputDigests(Evaluation(load_config(config(**section))))
        return found.evaluated_prompts("mine", "all").input_digest, found.scores(
            "mine", "reference", "all"
        ).input_digest

    first = steps(scorer="exact")
    assert steps(scorer="contains")[0] == first[0] and steps(scorer="contains") != first
    file({**PLAIN, "prompt": "Who?"})
    assert steps(scorer="exact")[0] != first[0]


def test_a_value_that_tables_cannot_print_is_named(file):
    file({**PLAIN, "level": "x\u0007y"})
    with pytest.raises(
        UserError, match=r"data\.jsonl:1: level is .*, whose characters tables cannot"
    ):
        asked(scorer="exact", by=["level"])
