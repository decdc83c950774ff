"""A base model's examples: read or refused, before every prompt, counted, hashed, never cut."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import items, prompts
from servers import prompt_of
from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.config.load import load_config
from steadfast.contract.examples import read_examples
from steadfast.contract.request import Item
from steadfast.engines.base import Setup, build_engine
from steadfast.engines.fit import fitted
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.required_files import check_required_files

EXAMPLES = [["Say one.", "One."], ["Zähle bis zwei.\n", "Eins, zwei."]]
SHOTS = "Say one.\nOutput: One.\n\nZähle bis zwei.\nOutput: Eins, zwei.\n\n"
BASE = {"engine": "openai", "model": "echo-1", "template": "base"}
SHOT = {**BASE, "examples": EXAMPLES}
TOKENIZER = load_tokenizer("o200k_base")


def write(path, examples=EXAMPLES):
    records = [dict(zip(("instruction", "output"), pair, strict=True)) for pair in examples]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return str(path)


def requests(answers, asked=None):
    """What is asked of a model of those settings."""
    return fitted("m", build_engine(Setup(answers)), answers, asked or items())


@pytest.fixture
def shot(part):
    part.answers = SHOT
    return part


# --- the file --------------------------------------------------------------------------------


def test_a_file_of_examples_is_read_in_order(tmp_path):
    assert read_examples(write(tmp_path / "examples.jsonl")) == EXAMPLES


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "mine.jsonl: no examples; add a line with instruction and output"),
        ('{"instruction": "a"}', "record 1: the field 'output' must be a string"),
        ('{"instruction": " ", "output": "b"}', "record 1: the field 'instruction' must be"),
        ('{"instruction": 3, "output": "b"}', "record 1: the field 'instruction' must be"),
        (
            '{"instruction": "a", "input": "x", "output": "b"}',
            "record 1: unknown field 'input'",
        ),
        ("[1]", "mine.jsonl:1: "),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, line, sentence):
    (tmp_path / "mine.jsonl").write_text(line)
    with pytest.raises(UserError, match=re.escape(sentence)) as caught:
        read_examples(str(tmp_path / "mine.jsonl"))
    assert "\n" not in str(caught.value)


FIELDS = st.sampled_from(["instruction", "output", "input", ""])
LINES = st.binary(max_size=40) | st.dictionaries(
    FIELDS, st.text() | st.none() | st.integers(), max_size=3
).map(lambda record: json.dumps(record).encode())


@given(st.lists(LINES, max_size=4))
def test_any_file_is_read_or_refused(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        found = read_examples(str(path))
    except UserError:
        return
    assert found and all(len(pair) == 2 and all(map(str.strip, pair)) for pair in found)


# --- the config ------------------------------------------------------------------------------


def configured(path, **settings):
    model = {**BASE, "model": "m", "examples": str(path), **settings}
    return load_config({"benchmarks": ["lifbench"], "models": {"m": model}})


def test_another_word_in_the_file_makes_other_outputs_of_the_model_alone(tmp_path):
    path = write(tmp_path / "examples.jsonl")

    def input_digests(examples):
        models = {"shot": {**BASE, "examples": examples}, "zero": BASE}
        run = Evaluation(load_config({"benchmarks": ["lifbench"], "models": models}))
        digests = InputDigests(run)
        return [digests.outputs("lifbench", name, "4k").input_digest for name in models]

    shot, zero = input_digests(path)
    assert input_digests(write(tmp_path / "elsewhere.jsonl")) == [shot, zero]
    write(tmp_path / "examples.jsonl", [["Say one.", "Two."], EXAMPLES[1]])
    changed, same = input_digests(path)
    assert changed != shot and same == zero


@pytest.mark.parametrize("engine", [{}, {"engine": "vllm", "window": 4096}], ids=["openai", "vllm"])
def test_a_chat_model_gets_none(tmp_path, engine):
    with pytest.raises(UserError, match="set template: base, or remove examples"):
        configured(tmp_path / "any", template="chat", **engine)


def test_a_bad_file_stops_before_anything_runs_and_is_named_by_its_key(tmp_path):
    def check(path):
        check_required_files(Evaluation(configured(path)))

    check(write(tmp_path / "good.jsonl"))
    with pytest.raises(UserError, match=r"config: models\.m\.examples: \S+: no such file"):
        check(tmp_path / "none.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"instruction": "a"}')
    with pytest.raises(UserError, match=r"config: models\.m\.examples: \S+bad.jsonl: record 1"):
        check(tmp_path / "bad.jsonl")


# --- what is asked ---------------------------------------------------------------------------


def test_examples_stand_before_every_prompt(shot, server):
    shot.run()
    assert {body["prompt"] for body in server.bodies} == {
        f"{SHOTS}{prompt}\nOutput: " for prompt in prompts()
    }


def test_a_conversation_has_them_once_at_its_start(shot, server):
    first = Item("a/1", "a", "", "", "First?", 20)
    second = Item("a/2", "a", "", "", "Second?", 20, follows="a/1")
    records = shot.run([first, second])
    said = f"{SHOTS}First?\nOutput: {records[0]['response']}\n\nSecond?\nOutput: "
    assert prompt_of(server.bodies[-1]) == said


def test_prompts_with_the_same_examples_share_them_and_contexts_stay_apart():
    asked = [Item(f"q{n}", f"c{n}", "", "", f"Ask {n}!", 20) for n in range(3)]
    shared = requests(SHOT, asked)
    assert len({request.group for request in shared}) == 1
    assert {request.prefix for request in shared} == {SHOTS}
    assert len({request.group for request in requests(BASE, asked)}) == 3
    two_contexts = requests(SHOT)
    assert len({r.group for r in two_contexts}) == len({r.context_id for r in two_contexts}) == 2


HASHES = {
    "chat": "32c7b831253febd9b1ac6f9c7a8197ea0f448f53f50f1b4f033a9a216039194e",
    "base": "0d6f9930d05dc7d07b1729e3064e750e493559731696df84417e98af5ab76c1b",
}


@pytest.mark.parametrize(("template", "without"), HASHES.items())
def test_examples_are_part_of_the_hash_which_stays_what_it_was_without(template, without):
    hashes = []
    for examples in ({}, {"examples": EXAMPLES}, {"examples": EXAMPLES[:1]}):
        (request,) = requests({**BASE, "template": template, **examples}, items(1, 1))
        hashes.append(request.hash)
    assert hashes[0] == without
    assert len(set(hashes)) == 3


def test_they_count_against_the_window_before_anything_is_sent(shot, server):
    (item,) = items(1, 1)
    whole = TOKENIZER.count(f"{SHOTS}{prompts([item])[0]}") + TOKENIZER.count("\nOutput: ")
    shot.answers = {**SHOT, "window": whole + 49, "tokenizer": "o200k_base"}
    with pytest.raises(UserError, match="1 of 1 prompts exceed its context window"):
        shot.run([item])
    assert not server.bodies
    shot.answers |= {"window": whole + 50}
    assert len(shot.run([item])) == 1


@given(st.integers(60, 400))
def test_no_cut_falls_on_them(window):
    answers = {**SHOT, "window": window, "tokenizer": "o200k_base", "on_overflow": "truncate"}
    for item, request in zip(items(), requests(answers), strict=True):
        if not request.overflow:
            assert request.prompt.startswith(SHOTS + item.head)
            assert request.prompt.endswith(item.tail)
            counted = TOKENIZER.count(request.prompt) + TOKENIZER.count("\nOutput: ")
            assert counted + item.max_tokens <= window


def test_the_provenance_has_their_number_and_checksum(shot):
    shot.run(items(1, 1))
    found = shot.provenance()["fitting"]["examples"]
    assert found["number"] == 2 and re.fullmatch("[0-9a-f]{64}", found["sha256"])
