"""Few-shot examples of base models: read or refused, before each prompt, counted, never cut."""

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
from steadfast.engines.fit import fitted_requests
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.required_files import check_required_files

EXAMPLES = [["Say one.", "One."], ["Zähle bis zwei.\n", "Eins, zwei."]]
EXAMPLES_TEXT = "Say one.\nOutput: One.\n\nZähle bis zwei.\nOutput: Eins, zwei.\n\n"
ZERO_SHOT = {"engine": "openai", "model": "echo-1", "template": "base"}
FEW_SHOT = {**ZERO_SHOT, "examples": EXAMPLES}
TOKENIZER = load_tokenizer("o200k_base")


def write(path, examples=EXAMPLES):
    records = [dict(zip(("instruction", "output"), pair, strict=True)) for pair in examples]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return str(path)


def requests(answers, some_items=None):
    """The requests to a model with those settings."""
    return fitted_requests("m", build_engine(Setup(answers)), answers, some_items or items())


@pytest.fixture
def few_shot_part(part):
    part.answers = FEW_SHOT
    return part


# --- the file -----------------------------------------------------------------------------------


def test_examples_are_read_in_order(tmp_path):
    assert read_examples(write(tmp_path / "examples.jsonl")) == EXAMPLES


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "mine.jsonl: no examples; add a line with instruction and output"),
        ('{"instruction": "a"}', "record 1: the field 'output' must be a string"),
        ('{"instruction": " ", "output": "b"}', "record 1: the field 'instruction' must be"),
        ('{"instruction": 3, "output": "b"}', "record 1: the field 'instruction' must be"),
        ('{"instruction": "a", "input": "x", "output": "b"}', "record 1: unknown field 'input'"),
        ("[1]", "mine.jsonl:1: "),
    ],
)
def test_invalid_file_is_reported(tmp_path, line, message):
    (tmp_path / "mine.jsonl").write_text(line)
    with pytest.raises(UserError, match=re.escape(message)) as error:
        read_examples(str(tmp_path / "mine.jsonl"))
    assert "\n" not in str(error.value)


FIELDS = st.sampled_from(["instruction", "output", "input", ""])
LINES = st.binary(max_size=40) | st.dictionaries(
    FIELDS, st.text() | st.none() | st.integers(), max_size=3
).map(lambda record: json.dumps(record).encode())


@given(st.lists(LINES, max_size=4))
def test_any_file_is_read_or_refused(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        examples = read_examples(str(path))
    except UserError:
        return
    assert examples
    for instruction, output in examples:
        assert instruction.strip() and output.strip()


# --- the config ---------------------------------------------------------------------------------


def evaluation(path, **settings):
    few_shot = {**ZERO_SHOT, "examples": str(path), **settings}
    models = {"few_shot": few_shot, "zero_shot": ZERO_SHOT}
    return Evaluation(load_config({"benchmarks": ["lifbench"], "models": models}))


def test_content_of_the_file_changes_outputs_of_its_model_only(tmp_path):
    def output_digests(path):
        digests = InputDigests(evaluation(path))
        models = ("few_shot", "zero_shot")
        return [digests.outputs("lifbench", model, "4k").input_digest for model in models]

    path = write(tmp_path / "examples.jsonl")
    few_shot, zero_shot = output_digests(path)
    assert output_digests(write(tmp_path / "copy.jsonl")) == [few_shot, zero_shot]
    write(tmp_path / "examples.jsonl", [["Say one.", "Two."], EXAMPLES[1]])
    changed, unchanged = output_digests(path)
    assert changed != few_shot and unchanged == zero_shot


@pytest.mark.parametrize("engine", [{}, {"engine": "vllm", "window": 4096}], ids=["openai", "vllm"])
def test_chat_model_with_examples_is_refused(tmp_path, engine):
    with pytest.raises(UserError, match="set template: base, or remove examples"):
        evaluation(tmp_path / "any", template="chat", **engine)


def test_invalid_file_is_reported_with_its_key_before_a_run(tmp_path):
    invalid = tmp_path / "invalid.jsonl"
    invalid.write_text('{"instruction": "a"}')
    key = r"config: models\.few_shot\.examples"
    check_required_files(evaluation(write(tmp_path / "valid.jsonl")))
    with pytest.raises(UserError, match=rf"{key}: \S+: no such file"):
        check_required_files(evaluation(tmp_path / "none.jsonl"))
    with pytest.raises(UserError, match=rf"{key}: \S+invalid.jsonl: record 1"):
        check_required_files(evaluation(invalid))


# --- requests -----------------------------------------------------------------------------------


def test_examples_come_before_each_prompt(few_shot_part, server):
    few_shot_part.run()
    expected = {f"{EXAMPLES_TEXT}{prompt}\nOutput: " for prompt in prompts()}
    assert {body["prompt"] for body in server.bodies} == expected


def test_conversation_has_examples_once_at_its_start(few_shot_part, server):
    first = Item("a/1", "a", "", "", "First?", 20)
    second = Item("a/2", "a", "", "", "Second?", 20, follows="a/1")
    records = few_shot_part.run([first, second])
    response = records[0]["response"]
    expected = f"{EXAMPLES_TEXT}First?\nOutput: {response}\n\nSecond?\nOutput: "
    assert prompt_of(server.bodies[-1]) == expected


def groups(some_requests):
    return {request.group for request in some_requests}


def test_prompts_share_examples_but_not_contexts():
    short_items = [Item(f"q{n}", f"c{n}", "", "", f"Ask {n}!", 20) for n in range(3)]
    few_shot = requests(FEW_SHOT, short_items)
    assert len(groups(few_shot)) == 1
    assert {request.prefix for request in few_shot} == {EXAMPLES_TEXT}
    assert len(groups(requests(ZERO_SHOT, short_items))) == 3
    with_contexts = requests(FEW_SHOT)
    assert len({request.context_id for request in with_contexts}) == 2
    assert len(groups(with_contexts)) == 2


HASHES = {
    "chat": "32c7b831253febd9b1ac6f9c7a8197ea0f448f53f50f1b4f033a9a216039194e",
    "base": "0d6f9930d05dc7d07b1729e3064e750e493559731696df84417e98af5ab76c1b",
}


@pytest.mark.parametrize(("template", "zero_shot_hash"), HASHES.items())
def test_hash_depends_on_examples_and_is_stable_without(template, zero_shot_hash):
    hashes = []
    for examples in ({}, {"examples": EXAMPLES}, {"examples": EXAMPLES[:1]}):
        (request,) = requests({**ZERO_SHOT, "template": template, **examples}, items(1, 1))
        hashes.append(request.hash)
    assert hashes[0] == zero_shot_hash
    assert len(set(hashes)) == 3


def count_with_suffix(prompt):
    return TOKENIZER.count(prompt) + TOKENIZER.count("\nOutput: ")


def test_examples_count_against_the_window():
    (item,) = items(1, 1)
    (prompt,) = prompts([item])
    window = count_with_suffix(EXAMPLES_TEXT + prompt) + 50
    answers = {**FEW_SHOT, "tokenizer": "o200k_base"}
    assert len(requests({**answers, "window": window}, [item])) == 1
    with pytest.raises(UserError, match="1 of 1 prompts exceed its context window"):
        requests({**answers, "window": window - 1}, [item])


@given(st.integers(60, 400))
def test_examples_are_never_truncated(window):
    answers = {**FEW_SHOT, "window": window, "tokenizer": "o200k_base", "on_overflow": "truncate"}
    for item, request in zip(items(), requests(answers), strict=True):
        if not request.overflow:
            assert request.prompt.startswith(EXAMPLES_TEXT + item.head)
            assert request.prompt.endswith(item.tail)
            assert count_with_suffix(request.prompt) + item.max_tokens <= window


def test_provenance_has_number_and_checksum_of_examples(few_shot_part):
    few_shot_part.run(items(1, 1))
    examples = few_shot_part.provenance()["fitting"]["examples"]
    assert examples["number"] == 2 and re.fullmatch("[0-9a-f]{64}", examples["sha256"])
