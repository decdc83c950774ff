"""One sample seen whole: what is joined, and that no text in it is acted on."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import write_json, write_jsonl
from steadfast.base.names import visible
from steadfast.base.provenance import Provenance
from steadfast.benchmarks.lifbench.passages import passages
from steadfast.config.load import load_config
from steadfast.contract.components import Sample
from steadfast.html_report.sample_text import sample_text
from steadfast.html_report.view_sample import examples, view_sample
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.show.passages import Passages, excerpts, places

ELEMENTS = [f"entry {name}" for name in ("alpha", "beta", "gamma", "delta")]
TEXT = "\n".join(f"{number}. {text}" for number, text in enumerate(ELEMENTS, start=1))
CONTEXT = {"context_id": "list-4k-s1", "text": TEXT, "elements": ELEMENTS}


def prompt(**changes):
    return {
        "sample_id": "LSI/list-4k-s1/e1/v1",
        "task": "LSI",
        "context_id": "list-4k-s1",
        "expression_id": 1,
        "variable_id": 1,
        "instruction": "Give the 2nd entry.",
        "variables": {"id": 2, "ordid": "2nd"},
        "reference_answer": {"element": "entry beta"},
        "max_tokens": 100,
        **changes,
    }


# --- the places of a context ---------------------------------------------------------------------


def marked(**changes):
    seen = passages(Sample("4k", prompt(**changes), {"context": CONTEXT}))
    return [seen.text[start:end] for start, end in places(seen)]


def test_what_is_asked_for_is_marked_in_its_context():
    assert marked() == ["entry beta"]
    # of an element the next of which is asked for, both
    gold = {"id": 2, "pre_element": "entry alpha", "post_element": "entry gamma"}
    variables = {"element": "entry beta", "bias": 1}
    assert marked(task="LOE", variables=variables, reference_answer=gold) == [
        "entry beta",
        "entry gamma",
    ]
    gold = {"elements": ["entry delta", "entry alpha"]}
    variables = {"id_arr": [4, 1]}
    assert marked(task="LMI", variables=variables, reference_answer=gold) == [
        "entry alpha",
        "entry delta",
    ]
    sentences = [
        {"type": "#Topic#", "fake": False, "text": "One."},
        {"type": "#Topic#", "fake": True, "text": "Two."},
        {"type": "|Summary|", "fake": False, "text": "Three."},
    ]
    context = {"text": "Zero. One. Two. Three.", "key_sentences": sentences}
    asked = prompt(task="OE", variables={"type": "<#Topic#>"}, reference_answer={})
    assert passages(Sample("4k", asked, {"context": context})).wanted == ["One."]


ODD_VALUES = st.none() | st.integers() | st.text() | st.lists(st.integers() | st.text())
NAMES = ("element", "elements", "evidence", "post_element", "bias", "info_keys", "type")


@given(st.dictionaries(st.sampled_from(NAMES), ODD_VALUES))
def test_any_name_may_stand_for_any_value(variables):
    sentences = [{"type": "#Topic#", "fake": False, "text": "entry delta"}]
    asked = prompt(task="LSI", variables=variables, reference_answer={})
    seen = passages(Sample("4k", asked, {"context": {**CONTEXT, "key_sentences": sentences}}))
    assert all(isinstance(piece, str) for piece in seen.wanted)


def test_places_that_are_too_many_are_counted():
    found = excerpts(Passages("a " * 12, ["a"]), around=0, most=5)
    assert found == ["⟦a⟧…", *["…⟦a⟧…"] * 4, "(7 more)"]


@given(st.text(max_size=40), st.lists(st.text(max_size=3), max_size=4))
def test_every_place_is_one_of_a_wanted_piece(text, wanted):
    found = places(Passages(text, wanted))
    assert found == sorted(set(found))
    assert all(text[start:end] in wanted for start, end in found)
    assert {text[start:end] for start, end in found} == {w for w in wanted if w and w in text}


# --- what a terminal is given --------------------------------------------------------------------


def test_hidden_characters_are_shown_by_their_code_points():
    for text, shown in (
        ("\x1b[2J\x1b]0;owned\x07", "<U+001B>[2J<U+001B>]0;owned<U+0007>"),
        ("abc\rxyz", "abc<U+000D>xyz"),
        ("\u202egnp.exe\u2066", "<U+202E>gnp.exe<U+2066>"),
        ("a\u200bb\u2028c\x9b31m", "a<U+200B>b<U+2028>c<U+009B>31m"),
        ("\ud800", "<U+D800>"),
        ("Grüße, 你好 ⟦x⟧\n\tλ", "Grüße, 你好 ⟦x⟧\n\tλ"),
    ):
        assert visible(text) == shown, text


@given(st.text(st.characters()))
def test_what_is_shown_can_be_printed(text):
    shown = visible(text)
    shown.encode("utf-8")
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not hidden & {unicodedata.category(char) for char in shown if char not in "\n\t"}


# --- a sample of a results folder ----------------------------------------------------------------


@pytest.fixture
def run():
    models = {"m": {"engine": "reference"}, "n": {"engine": "reference"}}
    section = {"lengths": {"4k": 3072}, "tasks": ["LSI"]}
    return Evaluation(load_config({"lifbench": section, "models": models}))


ANSWER = "entry beta\x1b[31m\n== LSI/forged ==\nScore: 1"


@pytest.fixture
def results(tmp_path, run):
    folder = tmp_path / "lifbench"
    first = prompt()
    second = prompt(sample_id="LSI/list-4k-s1/e1/v2", instruction="Give the last entry.")
    write_jsonl(folder / "prompts/4k.jsonl", [first, second])
    for (kind, _), path in run.tasks["lifbench"].parts["4k"].sources.items():
        if kind == "contexts":
            write_jsonl(tmp_path / path, [CONTEXT])
        else:
            expressions = {"scenario_prompt": "{input} {instruction}", "expressions": []}
            write_json(tmp_path / path, expressions)
    common = {"sample_id": first["sample_id"], "repeat": 0, "status": "ok"}
    output = common | {
        "response": ANSWER,
        "reasoning": "the second one",
        "prompt_truncated_tokens": 0,
    }
    other = output | {"sample_id": second["sample_id"], "response": "another's"}
    write_jsonl(folder / "outputs/m/4k.jsonl", [other, output])
    common |= {"task": "LSI", "context_id": "list-4k-s1", "prompt_truncated": False}
    rated = {"status": "ok", "points": {"format": 0.5, "correct": 1.0}}
    raters = {"corrected": rated | {"total": 0.7}}
    extracted = {"judge": None, "extracted": {"ids": [2]}, "other_raters": raters}
    score = common | rated | {"total": 0.75} | extracted
    write_jsonl(folder / "scores/m/4k.jsonl", [score])
    steps = InputDigests(run)
    made = steps.answered_part("lifbench", "m", "4k")
    made["lifbench/prompts/4k.jsonl"] = steps.prompts("lifbench", "4k")
    for path, step in made.items():
        Provenance.beside(tmp_path / path, step.input_digest).write()
    return tmp_path


def shown(run, results, name="LSI/list-4k-s1/e1/v1", model=None):
    return "".join(map(sample_text, view_sample(run, results, name, model)))


def test_answers_of_another_config_are_not_shown(results):
    models = {"m": {"engine": "baseline"}}
    section = {"lengths": {"4k": 3072}, "tasks": ["LSI"]}
    other = Evaluation(load_config({"lifbench": section, "models": models}))
    with pytest.raises(UserError, match=r"outputs/m/4k\.jsonl: made from other settings"):
        shown(other, results)


def test_a_sample_is_seen_whole(run, results):
    lines = shown(run, results).split("\n")
    for line in (
        "LIFBench, part 4k, task LSI",
        "  | Give the 2nd entry.",
        "  | 2. ⟦entry beta⟧",
        "  | the second one",
        "Score: 0.75 (ok)",
        "  | format: 0.5",
        '  | {"ids": [2]}',
        "By corrected: 0.7 (ok): format 0.5, correct 1",
    ):
        assert line in lines, line
    expected = lines.index("Expected (reference answer):")
    assert lines[expected + 1] == "  | entry beta"
    assert "another's" not in "\n".join(lines)


def test_answers_cannot_pass_for_headings_and_those_not_requested_say_so(run, results):
    text = shown(run, results)
    assert "\x1b" not in text
    assert "  | entry beta<U+001B>[31m\n  | == LSI/forged ==\n  | Score: 1\n" in text
    assert "\n== LSI/forged ==" not in text
    text = shown(run, results)
    assert "-- n --\nno response: not requested yet, or not part of this trial\n" in text
    assert "-- n --" not in shown(run, results, model="m")
    (text,) = map(sample_text, examples(run, results))
    assert text.startswith("== LSI/list-4k-s1/e1/v1 ==\nLIFBench, part 4k, task LSI\n")
    assert "  | Give the 2nd entry." in text and "  | 2. ⟦entry beta⟧" in text
    assert ANSWER not in text and "-- m --" not in text


def test_an_unknown_sample_or_model_is_one_sentence_with_the_nearest(run, results):
    with pytest.raises(UserError, match="no sample 'LSI/list-4k-s1/e1/v3'; did you mean LSI/li"):
        shown(run, results, "LSI/list-4k-s1/e1/v3")
    with pytest.raises(UserError, match="unknown model 'mm'; did you mean 'm'"):
        shown(run, results, model="mm")
    with pytest.raises(UserError, match="no prompts yet"):
        shown(run, results / "elsewhere")
