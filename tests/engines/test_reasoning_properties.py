"""Reasoning is separated from the answer: any texts, and reasoning that is hard to separate.

The reference answer after adversarial reasoning is the answer; an answer that mentions tags is
kept whole.
"""

from dataclasses import replace
from itertools import product
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parts import items
from steadfast.contract.request import Response
from steadfast.engines.sending.dialects import FACTS
from steadfast.engines.sending.reasoning import has_tag_pair, marks, separate_reasoning
from steadfast.engines.sending.run import _warnings

ANY_DIALECT = {"tags": None, "parser": None, "tokens": 100, "prefilled": None}
PAIRS = {
    "cohere_command3": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "cohere_command4": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "gemma4": ("<|channel>thought\n", "<channel|>"),
    "granite": ("Here is my thought process:", "Here is my response:"),
    "inkling": ("<|message_model|><|content_thinking|>",
                "<|end_message|><|message_model|><|content_text|>"),
    "k2_horizon": ("<ifm|think>", "</ifm|think>"),
    "kimi_k3": ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    "minimax_m3": ("<mm:think>", "</mm:think>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "muse_glimmer": ("to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>"),
    "openai_gptoss": ("<|channel|>analysis<|message|>",
                      "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "plamo3": ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    "seed_oss": ("<seed:think>", "</seed:think>"),
}  # fmt: skip
"""Start and end as vLLM's parsers have them; the other parsers' are <think> and </think>."""
THINK = ("<think>", "</think>")
PROSE = st.text(st.sampled_from(ascii_letters + "0123456789 \n.,`*#äß長文"), min_size=1)
"""Texts without marks; a single word that is one ("analysis") is too rare to come up."""
TEXTS = PROSE.map(str.strip).filter(bool)
PREFILLED = st.sampled_from([None, True, False])


def parsed_by(parser: str) -> dict:
    return {**ANY_DIALECT, "parser": parser}


DECLARED = [
    ANY_DIALECT,
    {**ANY_DIALECT, "tags": ["<thought>", "</thought>"]},
    *map(parsed_by, ("qwen3", "openai_gptoss", "granite")),
]
PIECES = [
    "<think>", "</think>", "`", "```\n", "\n\n", "a", " ", "<thought>", "</thought>", "<|end|>",
    "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "analysis",
]  # fmt: skip
MARKED = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.mark.parametrize("parser", FACTS["parsers"])
@given(reasoning=TEXTS, answer=TEXTS, blank=st.sampled_from(["", "\n", "\n\n"]))
def test_each_parser_separates_reasoning_and_answer(parser, reasoning, answer, blank):
    start, end = PAIRS.get(parser, THINK)
    text = f"{start}{blank}{reasoning}{blank}{end}{blank}{answer}"
    separated = separate_reasoning(Response("ok", text), parsed_by(parser), None)
    assert (separated.status, separated.reasoning, separated.text) == ("ok", reasoning, answer)


@given(
    MARKED | PROSE,
    st.sampled_from([None, *DECLARED]),
    PREFILLED,
    st.sampled_from(["ok", "length"]),
    st.none() | TEXTS,
)
def test_reasoning_without_an_answer_is_unfinished(text, dialect, prefilled, status, reasoning):
    response = Response(status, text, reasoning=reasoning)
    separated = separate_reasoning(response, dialect, prefilled)
    assert separated.status in (status, "unfinished")
    if separated.status == "unfinished":
        assert separated.text == ""
    elif not separated.text.strip():
        assert separated.reasoning is None


@given(TEXTS, TEXTS, st.sampled_from(DECLARED), PREFILLED)
def test_separation_is_idempotent(reasoning, answer, dialect, prefilled):
    response = Response("ok", f"<think>{reasoning}</think>{answer}")
    separated = separate_reasoning(response, dialect, prefilled)
    assume(not any(mark in separated.text for mark in marks(ANY_DIALECT)))
    assert separate_reasoning(separated, None, None) == separated
    assert separate_reasoning(Response("ok", separated.text), None, None).text == separated.text


@given(PROSE, st.sampled_from([None, False]))
def test_text_without_marks_is_unchanged_where_no_reasoning_is_declared(text, prefilled):
    assert separate_reasoning(Response("ok", text), None, prefilled) == Response("ok", text)


MARKS = [
    "<think>", "</think>", "<think></think>", "<think>`</think>", "`", "` ", "```\n",
    "<think>a</think></think>", "\u200b", "assistant ", "</s>", "<|x|>", "```</think>",
    "<|channel|>analysis", "<|channel|>final<|message|>`", " ", "\n \n", "<",
]  # fmt: skip


@pytest.mark.quick(12)
@pytest.mark.usefixtures("cpu_limit")
@pytest.mark.parametrize("parser", [None, "qwen3", "openai_gptoss"])
@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("start", ["", "4 "])
def test_long_text_of_marks_is_separated_in_linear_time(start, mark, parser):
    dialect = parsed_by(parser) if parser else None
    response = Response("ok", start + mark * (200_000 // len(mark)))
    assert separate_reasoning(response, dialect, None).status in ("ok", "unfinished")


@pytest.mark.usefixtures("cpu_limit")
def test_backtick_runs_of_many_lengths_take_linear_time():
    text = " ".join("`" * length for length in range(1, 1400)) + "</think>4"
    assert separate_reasoning(Response("ok", text), None, None).text == "4"


# --- reference answers after adversarial reasoning ----------------------------------------------

CHANNELS = ("openai_gptoss", "inkling", "muse_glimmer")
"""Parsers of models whose reasoning stands in channels, which hold no other reasoning."""
ORDINARY_WORDS = ("granite",)
"""Parsers of models whose marks are ordinary words."""
ANSWERS = [
    "Suggest a name for a boat.",  # LIFBench: an element, labels, groups and a text
    '{"doc1": "Alpha", "doc2": "Beta"}',
    '[["k1", null], ["k3", null]]\n[["k4", null], ["k5", null]]',
    "First sentence. # #Topic#\nSecond one. # |Summary|",
    "(C)",  # FollowBench: an option, a list of lines
    "Rome\nParis",
    "```json\n{}\n```\n用`码`回答。",  # CFBench and ComplexBench, which judges see
    "分析：都有。\n答案：是",  # a judge's replies
    "1) and 2)\n- constraint 1: YES\n3) ['YES', 'NO']",
]
OTHER = "Maybe Name a star, (A), 答案：否, ['NO', 'NO'] or {}?"
"""Reasoning with other answers."""


def prefixes(start: str, end: str) -> dict[str, str]:
    """Texts before the answer: reasoning, and what makes it hard to see where it ends."""
    opening = f"{start}\n{OTHER}\n"
    return {
        "plain": f"{opening}{end}",
        "nested": f"{opening}{start} {OTHER} {end}\n{OTHER}{end}",
        "nested twice": f"{opening}{start}{start}{OTHER}{end}\n{end}{OTHER}{end}",
        "two in one": f"{opening}{start}{OTHER}{end} or {start}{OTHER}{end}\n{OTHER}{end}",
        "doubled": f"{start}{opening}{end}{end}",
        "start doubled": f"{start}{opening}{end}",
        "start mentioned": f"{opening}I began with {start} as I should.\n{end}",
        "end doubled": f"{opening}{end}{end}",
        "end twice doubled": f"{opening}{end}\n{end}\n\n{end}",
        "end in code": f"{opening}I close with `{end}`, as in\n```\n{start}x{end}\n```\nSo:{end}",
        "end in an open fence": f"{opening}I close with `{end}`:\n```\n{OTHER}\n{end}",
        "turn after the end": f"{opening}{end}<|im_end|>\n<|im_start|>assistant\n",
        "invisible after the end": f"{opening}{end}\ufeff\u200b",
        "twice": f"{opening}{end}\n\n{opening}{end}",
    }


WITHOUT_INNER_START = (
    "plain", "end doubled", "end twice doubled", "invisible after the end", "twice",
)  # fmt: skip
ENDED_BY_LAST_END = (
    "nested", "nested twice", "two in one", "doubled", "end in code", "end in an open fence",
)  # fmt: skip
LEAKED = [
    "", "\ufeff", "\u200b", "\n \u200b\n", "</s>", "<s> ", "<bos>", "assistant\n", "Assistant: ",
    "**Assistant:**\n", "### Response:\n", "<|im_start|>assistant\n", "<|assistant|>",
    "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "<start_of_turn>model\n",
    "<｜Assistant｜>", "<|endoftext|>\ufeff", "[INST] [/INST]",
]  # fmt: skip


def assert_separated(texts, dialect, answer, prefilled=None):
    for text in texts:
        separated = separate_reasoning(Response("ok", text), dialect, prefilled)
        assert (separated.status, separated.text) == ("ok", answer), text
        assert "Maybe" in (separated.reasoning or ""), text


PARSER_BY_TAGS = {PAIRS.get(parser, THINK): parser for parser in reversed([*FACTS["parsers"]])}
PARSERS = PARSER_BY_TAGS.values()
WITHOUT_CHANNELS = [parser for parser in PARSERS if parser not in CHANNELS]


def dialects(parser: str) -> list[dict | None]:
    """The ways to declare a model, by parser, by tags, as any, or not at all."""
    by_tags = {**ANY_DIALECT, "tags": [*PAIRS.get(parser, THINK)]}
    return [parsed_by(parser), by_tags, ANY_DIALECT, None]


def prefixes_of(parser: str) -> dict[str, str]:
    texts = prefixes(*PAIRS.get(parser, THINK))
    return {name: texts[name] for name in WITHOUT_INNER_START} if parser in CHANNELS else texts


@pytest.mark.quick(20)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("parser", PARSERS)
def test_answer_after_adversarial_reasoning_is_separated(parser, answer):
    blanks = ["\n", "\n\n"] if answer.startswith("```") else ["", "\n"]  # a fence begins a line
    leaked_starts = LEAKED if answer == ANSWERS[0] else ["", "\ufeff", "assistant\n"]
    parts = product(leaked_starts, prefixes_of(parser).values(), blanks)
    texts = [f"{leaked}{prefix}{blank}{answer}" for leaked, prefix, blank in parts]
    by_parser, by_tags, *general = dialects(parser)
    for dialect in [by_parser, *general]:
        assert_separated(texts, dialect, answer)
    if parser not in CHANNELS:
        assert_separated(texts, by_tags, answer)


@pytest.mark.parametrize(
    "parser", [name for name in WITHOUT_CHANNELS if name not in ORDINARY_WORDS]
)
def test_answer_after_prefilled_reasoning_is_separated(parser):
    start, _ = PAIRS.get(parser, THINK)
    answer = ANSWERS[0]
    texts = prefixes_of(parser)
    for name, prefix in texts.items():
        texts[name] = f"{prefix.removeprefix(start)}\n{answer}"
    assert_separated(texts.values(), parsed_by(parser), answer, prefilled=True)
    # Where the prompt is not known, these look like answers with reasoning, or code, in them.
    del texts["start mentioned"], texts["end in an open fence"]
    for dialect in dialects(parser):
        assert_separated(texts.values(), dialect, answer)


@pytest.mark.parametrize("parser", PARSERS)
def test_truncated_adversarial_reasoning_is_unfinished(parser):
    start, end = PAIRS.get(parser, THINK)
    for name, prefix in prefixes_of(parser).items():
        stop = prefix.rindex(end) if name in ENDED_BY_LAST_END else prefix.index(end)
        for length in range(len(start), stop, 5):
            text = prefix[:length]
            for dialect in dialects(parser)[: 1 if parser in ORDINARY_WORDS else None]:
                separated = separate_reasoning(Response("length", text), dialect, None)
                assert (separated.status, separated.text) == ("unfinished", ""), (text, dialect)


def answers_with_tags(start: str, end: str) -> list[str]:
    return [
        f"Open with `{start}`, close with `{end}`.",
        f"So:\n\n```\n{start}x{end}\n```\nThat is it.",
        f"Write {start} before you think.",
        f"Never write {end} by itself.",
    ]


@pytest.mark.parametrize("parser", WITHOUT_CHANNELS)
def test_answer_with_tags_after_reasoning_is_kept_whole(parser):
    start, end = PAIRS.get(parser, THINK)
    for dialect, answer in product(dialects(parser), answers_with_tags(start, end)):
        assert_separated([f"{start}{OTHER}{end}\n{answer}"], dialect, answer)


@pytest.mark.parametrize("parser", PARSERS)
def test_answer_with_tags_without_reasoning_is_kept_whole(parser):
    start, end = PAIRS.get(parser, THINK)
    *answers, end_alone = answers_with_tags(start, end)
    for answer in [*answers, f"Open with {start} and close with {end}."]:
        assert separate_reasoning(Response("ok", answer), None, None) == Response("ok", answer)
    if parser not in CHANNELS:
        response = Response("ok", end_alone)
        assert separate_reasoning(response, parsed_by(parser), False) == response


@pytest.mark.parametrize("dialect", [parsed_by("deepseek_r1"), ANY_DIALECT, None])
def test_reasoning_left_by_the_servers_parser_is_separated(dialect):
    # A server's parser splits at the first end.
    nested = Response("ok", f"{OTHER}</think>4", reasoning="a <think> b")
    doubled = Response("ok", "\n</think>\n\n4", reasoning="a")
    for response in (nested, doubled):
        assert separate_reasoning(response, dialect, None).text == "4"


def test_pair_of_tags_within_an_answer_is_detected():
    assert has_tag_pair("Well. <think>a</think>4")
    for answer in ("Use `<think>a</think>`, or </think> after <think>.", "4"):
        assert not has_tag_pair(answer)


def test_log_counts_responses_with_a_pair_of_tags(part):
    tagged = [replace(item, tail="\nSay <think>a</think>4") for item in items()]
    assert all("<think>a</think>4" in record["response"] for record in part.run(tagged))
    assert "10 of 10 responses of model echo contain a pair of tags" in part.log.read_text()
    tagged = [Response("ok", "Well. <think>a</think>4")]
    assert len(list(_warnings("echo", tagged, None))) == 1
    assert list(_warnings("echo", tagged, {"max_tokens": 9})) == []
    assert list(_warnings("echo", [Response("ok", "4")], None)) == []
