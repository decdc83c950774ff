"""Files of data sets: the instances made of records, and errors in records and configs."""

import json
import re

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract import registry
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.simple.datasets import DataSet
from steadfast.simple.instance import METRICS
from steadfast.simple.records import located_instances

PLAIN = {"prompt": "Which?", "answer": "blue"}
MODELS = {"reference": {"engine": "reference"}}
CASE = ["case"]
CHOICE = {"scorer": "choice"}
CONTAINS = {"scorer": "contains"}
NUMBER = {"scorer": "number"}
REGEX = {"scorer": "regex"}
RESERVED = "benchmark {}: this is the name of a rule or folder"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes records or raw lines into a file of the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(*records, name="data.jsonl"):
        lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    return write


def config(**section):
    return {"datasets": {"mine": {"path": "data.jsonl", **section}}, "models": MODELS}


def instances(**section):
    reading = DataSet(path="data.jsonl", **section).reading
    return [instance for _, instance in located_instances(**reading)]


def error_message(raw):
    with pytest.raises(UserError) as error:
        load_config(raw)
    return str(error.value)


def test_agreement_needs_two_judges_that_score_responses(file):
    file(PLAIN)
    judges = {"j": {"engine": "reference"}, "k": {"engine": "reference"}}
    has_agreement = []
    for scorer, names in (("exact", "jk"), ("judge", "jk"), ("judge", "j")):
        raw = config(scorer=scorer) | {"judges": {name: judges[name] for name in names}}
        task = Evaluation(load_config(raw)).tasks["mine"]
        has_agreement.append("agreement" in task.metrics.names)
    assert has_agreement == [False, True, False]


@pytest.mark.parametrize(
    ("section", "lengths", "metric", "by"),
    [
        ({"template": ["{{prompt}}"]}, 1, set(), []),
        ({"template": ["{{prompt}}", "Say: {{prompt}}"]}, 1, {"paraphrases"}, ["template"]),
        ({"contexts": "lifbench"}, 1, set(), []),
        ({"contexts": "lifbench"}, 2, {"effective_context_length"}, ["part"]),
    ],
)
def test_several_templates_or_lengths_are_compared(file, section, lengths, metric, by):
    file({**PLAIN, "topic": "sea", "scenario": "list"})
    raw = config(scorer="exact", by=["topic"], **section)
    raw["lifbench"] = {"lengths": {f"{n}k": 1024 * n for n in range(2, 2 + lengths)}}
    task = Evaluation(load_config(raw)).tasks["mine"]
    assert set(task.metrics.names) - set(METRICS) == metric
    assert {*task.metrics.function.settings["by"]} == {"topic", *by}


# --- instances --------------------------------------------------------------------------------


def test_card_of_the_export_has_settings_but_no_path(file):
    file(PLAIN)
    task = Evaluation(load_config(config(scorer="contains"))).tasks["mine"]
    settings = task.exports.make().about().settings
    assert settings["scorer"] == "contains" and "path" not in settings


def test_prompt_has_context_before_and_choices_after(file):
    file({**PLAIN, "context": "A text.", "choices": ["red", "blue"], "answer": "B"})
    (instance,) = instances(scorer="choice")
    text = instance.before + instance.context + instance.prompt
    assert text == "A text.\n\nWhich?\nA. red\nB. blue"
    assert (instance.id, instance.context, instance.reference_answer) == ("1", "A text.", "B")


def test_template_is_filled_with_fields(file):
    file({"q": "Which {{q}}?", "n": 3, "context": "A text.", "answer": "x"})
    (instance,) = instances(scorer="exact", template="{{n}}: {{context}} | {{q}}")
    pieces = [instance.before, instance.context, instance.prompt]
    assert pieces == ["3: ", "A text.", " | Which {{q}}?"]


def test_instances_have_the_fields_that_the_judge_s_template_names(file):
    file({**PLAIN, "topic": "sea", "level": 2})
    file("Is {{answer}} right for {{prompt}} on {{topic}}?", name="judge.txt")
    (instance,) = instances(scorer="judge", judge_template="judge.txt")
    assert instance.fields == {"topic": "sea"}
    (instance,) = instances(scorer="judge")
    assert instance.fields == {}


def test_ids_groups_and_fields_become_strings(file):
    file({**PLAIN, "id": 7, "group": 2, "level": 3}, "", {**PLAIN, "group": "b", "level": "x"})
    first, second = instances(scorer="exact", by=["level"])
    assert (first.id, first.group, first.by) == ("7", "2", {"level": "3"})
    assert (second.id, second.cluster) == ("3", "b")  # the line's number, blank lines counted


def test_instances_of_one_context_are_one_sampling_unit(file):
    file({**PLAIN, "context": "A"}, {**PLAIN, "context": "A"}, PLAIN)
    first, second, third = instances(scorer="exact")
    assert first.cluster == second.cluster != third.cluster == "3"


# --- errors in records ------------------------------------------------------------------------


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
        ({**PLAIN, "choices": ["a"]}, CHOICE, "choices must be a list of 2 to 26"),
        ({**PLAIN, "choices": ["a", "a"]}, CHOICE, "different strings"),
        (
            {**PLAIN, "choices": ["a", "b"], "answer": "c"},
            CHOICE,
            "scorer choice does not give the reference answer 'c' full marks; correct the",
        ),
        ({**PLAIN, "answer": "two"}, NUMBER, "number does not give .* 'two' full marks"),
        ({**PLAIN, "answer": "the"}, {"scorer": "f1"}, None),
        ({**PLAIN, "reference": "It is red."}, CONTAINS, "answer 'It is red.' full marks"),
        ({**PLAIN, "answer": "(?=a)"}, REGEX, r"'\(\?=a\)' is not a regular expression of RE2"),
        ({**PLAIN, "answer": "[0-9]"}, REGEX, "add a response that matches"),
        (
            {**PLAIN, "answer": "[0-9]", "reference": "x"},
            REGEX,
            "scorer regex does not give the reference answer 'x' full marks",
        ),
        ({**PLAIN, "answer": "[0-9]", "reference": "7"}, REGEX, None),
        (PLAIN, {"by": ["topic"]}, "no field 'topic'"),
        ({**PLAIN, "topic": None}, {"by": ["topic"]}, "topic is null; write a string or a number"),
        ({**PLAIN, "topic": ["x"]}, {"template": "{{topic}}"}, r"topic is \['x'\]; write a string"),
        ({**PLAIN, "context": "A"}, {"template": "{{prompt}}"}, "the template no {{context}}"),
        (PLAIN, {"template": "{{promt}}"}, "no field 'promt'; did you mean 'prompt'?"),
        ('{"prompt": "\\ud800", "answer": "x"}', {}, "a string has half a Unicode character"),
        ('{"prompt": "?", "answer": NaN}', {}, "JSON compliant"),
        ({**PLAIN, "prompt": " "}, {}, "empty prompt; add one"),
        ({**PLAIN, "group": "g"}, {}, "only some instances have a group"),
    ],
)
def test_bad_record_is_reported_before_the_run(file, line, section, sentence):
    record = {"id": "a", "topic": "x", **PLAIN, "choices": ["blue", "red"]}
    if section in (NUMBER, REGEX):
        record |= {"answer": "7", "reference": "7"}
    file(record, line)
    raw = config(**{"scorer": "exact", **section})
    if sentence is None:
        load_config(raw)
        return
    message = error_message(raw)
    assert re.search(sentence, message)
    assert "data.jsonl" in message and "\n" not in message


def test_empty_or_missing_file_is_reported(file):
    file("")
    assert "data.jsonl: no instances" in error_message(config(scorer="exact"))
    message = error_message(config(scorer="exact", path="no.jsonl"))
    assert "datasets.mine.path: no.jsonl: no such file; correct the path" in message


# --- the config -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"scorer": "exakt"}, "datasets.mine.scorer: 'exakt' is not one of 'exact', 'contains'"),
        ({"scorer": "exact", "templat": "x"}, "mine.templat'; did you mean 'template'?"),
        ({}, "'datasets.mine.scorer' is missing"),
        ({"scorer": "exact", "tolerance": 1.0}, "scorer exact has no option tolerance; remove it"),
        ({"scorer": "f1", "ignore": CASE}, "has no option ignore; .* exact or contains or regex"),
        ({"scorer": "exact", "ignore": ["cases"]}, "datasets.mine.ignore.0: 'cases' is not one of"),
        ({"scorer": "judge", "scale": [1.0, 0.0]}, "scale: name the lowest score first"),
        ({"scorer": "judge", "scale": [1.0, 1.0]}, "scale: name the lowest score first"),
        ({"scorer": "exact", "template": "{{context}}{{context}}"}, "{{context}} may occur once"),
        (
            {**REGEX, "pattern": "(a"},
            r"datasets.mine.pattern: '\(a' is not a regular expression of",
        ),
        ({"scorer": "judge"}, "judges: mine needs a judge; add one under judges"),
        ({"scorer": "judge", "judge_template": "no.txt"}, "no.txt: no such file"),
        ({"scorer": "judge", "judge_template": "bad.txt"}, "the slot {{answer}} is missing"),
    ],
)
def test_bad_section_is_reported(file, section, sentence):
    file(PLAIN)
    file("Is {{prompt}} answered?", name="bad.txt")
    with pytest.raises(UserError, match=sentence):
        load_config(config(**section))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("my/set", "benchmark name 'my/set' cannot name files; use letters"),
        ("lifbench", "a benchmark 'lifbench' exists already"),
        ("plan", RESERVED),
        ("journal", RESERVED),
        ("cfbench_data", RESERVED),
        ("cfbench_tables", RESERVED),
        ("contexts", RESERVED),
    ],
)
def test_reserved_or_invalid_name_is_refused(file, name, sentence):
    file(PLAIN)
    section = {"path": "data.jsonl", "scorer": "exact"}
    with pytest.raises(UserError, match=sentence.format(name)):
        Evaluation(load_config({"datasets": {name: section}, "models": MODELS}))


def test_data_sets_run_by_default_or_beside_benchmarks(file):
    file(PLAIN)
    raw = config(scorer="exact")
    assert load_config(raw).benchmarks == ["mine"]
    assert load_config({**raw, "benchmarks": ["lifbench", "mine"]}).running == ["reference"]
    assert "'min' is not one of" in error_message({**raw, "benchmarks": ["min"]})
    assert list(Evaluation(load_config(raw)).tasks) == [*registry.benchmarks(), "mine"]


def test_config_with_defaults_loads_again(file):
    file(PLAIN)
    loaded = load_config(config(scorer="exact", by=["answer"]))
    reloaded = load_config(loaded.model_dump(mode="json"))
    assert reloaded.model_dump() == loaded.model_dump()


def test_prompts_depend_on_records_and_not_on_the_scorer(file):
    def digests(scorer):
        digests = InputDigests(Evaluation(load_config(config(scorer=scorer))))
        prompts = digests.evaluated_prompts("mine", "all")
        scores = digests.scores("mine", "reference", "all")
        return [prompts.input_digest, scores.input_digest]

    file(PLAIN)
    prompts, scores = digests("exact")
    other_prompts, other_scores = digests("contains")
    assert other_prompts == prompts and other_scores != scores
    file({**PLAIN, "prompt": "Who?"})
    assert digests("exact")[0] != prompts


def test_unprintable_value_is_reported(file):
    file({**PLAIN, "level": "x\u0007y"})
    sentence = r"data\.jsonl:1: level is .*, whose characters tables cannot"
    with pytest.raises(UserError, match=sentence):
        instances(scorer="exact", by=["level"])
