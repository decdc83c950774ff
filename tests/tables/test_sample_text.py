"""One sample with all its data, and that no text in it is interpreted."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import write_json, write_jsonl
from steadfast.base.names import escape_hidden
from steadfast.base.provenance import Provenance
from steadfast.benchmarks.lifbench.passages import passages
from steadfast.config.load import load_config
from steadfast.contract.components import Sample
from steadfast.html_report.sample_text import sample_text
from steadfast.html_report.view_sample import examples, nearest_samples, view_sample
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.show.passages import Passages, excerpts, places

CONTEXT = {
    "context_id": "list-4k-s1",
    "text": "1. entry alpha\n2. entry beta\n3. entry gamma\n4. entry delta",
    "elements": ["entry alpha", "entry beta", "entry gamma", "entry delta"],
}
PROMPT = {
    "sample_id": "LSI/list-4k-s1/e1/v1",
    "task": "LSI",
    "context_id": "list-4k-s1",
    "expression_id": 1,
    "variable_id": 1,
    "instruction": "Give the 2nd entry.",
    "variables": {"id": 2, "ordid": "2nd"},
    "reference_answer": {"element": "entry beta"},
    "max_tokens": 100,
}


# --- the passages of a context -------------------------------------------------------------------


def lifbench_passages(task, variables, reference_answer, context=CONTEXT) -> Passages:
    fields = {"task": task, "variables": variables, "reference_answer": reference_answer}
    return passages(Sample("4k", PROMPT | fields, {"context": context}))


def test_expected_elements_are_marked_in_their_context():
    neighbours = {"id": 2, "pre_element": "entry alpha", "post_element": "entry gamma"}
    for task, variables, reference_answer, marked in (
        ("LSI", PROMPT["variables"], PROMPT["reference_answer"], ["entry beta"]),
        # the next element and the one in the instruction
        ("LOE", {"element": "entry beta", "bias": 1}, neighbours, ["entry beta", "entry gamma"]),
        (
            "LMI",
            {"id_arr": [4, 1]},
            {"elements": ["entry delta", "entry alpha"]},
            ["entry alpha", "entry delta"],
        ),
    ):
        located = lifbench_passages(task, variables, reference_answer)
        assert [located.text[start:end] for start, end in places(located)] == marked, task


def test_genuine_key_sentences_of_the_type_are_marked():
    sentences = [
        {"type": "#Topic#", "fake": False, "text": "One."},
        {"type": "#Topic#", "fake": True, "text": "Two."},
        {"type": "|Summary|", "fake": False, "text": "Three."},
    ]
    context = {"text": "Zero. One. Two. Three.", "key_sentences": sentences}
    assert lifbench_passages("OE", {"type": "<#Topic#>"}, {}, context).wanted == ["One."]


ANY_VALUE = st.none() | st.integers() | st.text() | st.lists(st.integers() | st.text())
NAMES = ("element", "elements", "evidence", "post_element", "bias", "info_keys", "type")


@given(st.dictionaries(st.sampled_from(NAMES), ANY_VALUE))
def test_variables_may_have_any_value(variables):
    sentences = [{"type": "#Topic#", "fake": False, "text": "entry delta"}]
    context = CONTEXT | {"key_sentences": sentences}
    for passage in lifbench_passages("LSI", variables, {}, context).wanted:
        assert isinstance(passage, str)


def test_excerpts_beyond_the_limit_are_counted():
    lines = excerpts(Passages("a " * 12, ["a"]), around=0, most=5)
    assert lines == ["⟦a⟧…", *["…⟦a⟧…"] * 4, "(7 more)"]


@pytest.mark.parametrize(("around", "line"), [(2, "…bc⟦x⟧de…"), (3, "abc⟦x⟧def"), (1, "…c⟦x⟧d…")])
def test_excerpt_has_an_ellipsis_where_text_is_left_out(around, line):
    assert excerpts(Passages("abcxdef", ["x"]), around) == [line]


@given(st.text(max_size=40), st.lists(st.text(max_size=3), max_size=4))
def test_every_passage_in_the_text_is_located(text, wanted_passages):
    spans = places(Passages(text, wanted_passages))
    assert spans == sorted(set(spans))
    located = {text[start:end] for start, end in spans}
    assert located == {passage for passage in wanted_passages if passage and passage in text}


# --- characters on a terminal --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;owned\x07", "<U+001B>[2J<U+001B>]0;owned<U+0007>"),
        ("abc\rxyz", "abc<U+000D>xyz"),
        ("\u202egnp.exe\u2066", "<U+202E>gnp.exe<U+2066>"),
        ("a\u200bb\u2028c\x9b31m", "a<U+200B>b<U+2028>c<U+009B>31m"),
        ("\ud800", "<U+D800>"),
        ("Grüße, 你好 ⟦x⟧\n\tλ", "Grüße, 你好 ⟦x⟧\n\tλ"),
    ],
)
def test_hidden_characters_are_shown_as_code_points(text, shown):
    assert escape_hidden(text) == shown


@given(st.text(st.characters()))
def test_shown_text_is_printable(text):
    printable = escape_hidden(text)
    printable.encode("utf-8")
    categories = {unicodedata.category(char) for char in printable if char not in "\n\t"}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


# --- a sample of a results folder ----------------------------------------------------------------


def evaluation(**models: str) -> Evaluation:
    config = {
        "lifbench": {"lengths": {"4k": 3072}, "tasks": ["LSI"]},
        "models": {name: {"engine": engine} for name, engine in models.items()},
    }
    return Evaluation(load_config(config))


@pytest.fixture
def run():
    return evaluation(m="reference", n="reference")


RESPONSE = "entry beta\x1b[31m\n== LSI/forged ==\nScore: 1"


@pytest.fixture
def results(tmp_path, run):
    folder = tmp_path / "lifbench"
    second_id = "LSI/list-4k-s1/e1/v2"
    second_prompt = PROMPT | {"sample_id": second_id, "instruction": "Give the last entry."}
    write_jsonl(folder / "prompts/4k.jsonl", [PROMPT, second_prompt])
    for (kind, _), path in run.tasks["lifbench"].parts["4k"].sources.items():
        if kind == "contexts":
            write_jsonl(tmp_path / path, [CONTEXT])
        else:
            expressions = {"scenario_prompt": "{input} {instruction}", "expressions": []}
            write_json(tmp_path / path, expressions)
    sample = {"sample_id": PROMPT["sample_id"], "repeat": 0, "status": "ok"}
    output = sample | {"response": RESPONSE, "reasoning": "second", "prompt_truncated_tokens": 0}
    second_output = output | {"sample_id": second_id, "response": "another's"}
    write_jsonl(folder / "outputs/m/4k.jsonl", [second_output, output])
    score = sample | {
        "task": "LSI",
        "context_id": "list-4k-s1",
        "prompt_truncated": False,
        "points": {"format": 0.5, "correct": 1.0},
        "total": 0.75,
        "judge": None,
        "extracted": {"ids": [2]},
    }
    corrected = {"status": "ok", "points": score["points"], "total": 0.7}
    score["other_raters"] = {"corrected": corrected}
    write_jsonl(folder / "scores/m/4k.jsonl", [score])
    digests = InputDigests(run)
    steps = digests.answered_part("lifbench", "m", "4k")
    steps["lifbench/prompts/4k.jsonl"] = digests.prompts("lifbench", "4k")
    for path, step in steps.items():
        Provenance.beside(tmp_path / path, step.input_digest).write()
    return tmp_path


def shown(run, results, sample_id=PROMPT["sample_id"], model=None):
    return "".join(map(sample_text, view_sample(run, results, sample_id, model)))


def test_sample_is_shown_with_all_its_data(run, results):
    lines = shown(run, results).split("\n")
    for line in (
        "LIFBench, part 4k, task LSI",
        "  | Give the 2nd entry.",
        "  | 2. ⟦entry beta⟧",
        "  | second",
        "Score: 0.75 (ok)",
        "  | format: 0.5",
        '  | {"ids": [2]}',
        "By corrected: 0.7 (ok): format 0.5, correct 1",
    ):
        assert line in lines
    expected = lines.index("Expected (reference answer):")
    assert lines[expected + 1] == "  | entry beta"
    assert "another's" not in "\n".join(lines)


def test_responses_cannot_imitate_headings(run, results):
    text = shown(run, results)
    assert "\x1b" not in text
    assert "  | entry beta<U+001B>[31m\n  | == LSI/forged ==\n  | Score: 1\n" in text
    assert "\n== LSI/forged ==" not in text


def test_missing_response_is_noted_and_a_model_can_be_selected(run, results):
    heading = "-- n --\n"
    note = "no response: not requested yet, or not part of this trial\n"
    assert heading + note in shown(run, results)
    assert heading not in shown(run, results, model="m")


def test_examples_have_prompts_without_responses(run, results):
    (text,) = map(sample_text, examples(run, results))
    assert text.startswith("== LSI/list-4k-s1/e1/v1 ==\nLIFBench, part 4k, task LSI\n")
    assert "  | Give the 2nd entry." in text
    assert "  | 2. ⟦entry beta⟧" in text
    assert RESPONSE not in text
    assert "-- m --" not in text


def test_unknown_sample_or_model_is_reported_with_the_nearest(run, results):
    with pytest.raises(UserError, match="no sample 'LSI/list-4k-s1/e1/v3'; did you mean LSI/li"):
        shown(run, results, "LSI/list-4k-s1/e1/v3")
    with pytest.raises(UserError, match="unknown model 'mm'; did you mean 'm'"):
        shown(run, results, model="mm")
    with pytest.raises(UserError, match="no prompts yet"):
        shown(run, results / "elsewhere")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("e1", "did you mean LSI/c/e1/v0, OQ/c/e1/v0?"),  # part of some
        ("OQ/c/e0/v1", "did you mean OQ/c/e0/v0, OQ/c/e1/v0, LSI/c/e1/v0?"),
        ("", "did you mean LSI/c/e1/v0, OQ/c/e1/v0, OQ/c/e0/v0?"),
    ],
)
def test_nearest_samples_are_those_with_the_name_or_one_like_it(name, expected):
    assert nearest_samples(name, ["LSI/c/e1/v0", "OQ/c/e1/v0", "OQ/c/e0/v0"]) == expected


def test_responses_of_another_config_are_refused(results):
    with pytest.raises(UserError, match=r"outputs/m/4k\.jsonl: made from other settings"):
        shown(evaluation(m="baseline"), results)
