"""Reasoning told apart from answer: what holds for any texts, and for hostile ones."""

from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steadfast.contract.request import Response
from steadfast.engines.asking.dialects import FACTS
from steadfast.engines.asking.reasoning import marks, separate_reasoning

LONG = 200_000
ANY = {"tags": None, "parser": None, "tokens": 100, "prefilled": None}
PAIRS = {
    "cohere_command3": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "cohere_command4": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "gemma4": ("<|channel>thought\n", "<channel|>"),
    "granite": ("Here is my thought process:", "Here is my response:"),
    "inkling": (
        "<|message_model|><|content_thinking|>",
        "<|end_message|><|message_model|><|content_text|>",
    ),
    "k2_horizon": ("<ifm|think>", "</ifm|think>"),
    "kimi_k3": ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    "minimax_m3": ("<mm:think>", "</mm:think>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "muse_glimmer": ("to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>"),
    "openai_gptoss": (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    "plamo3": ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    "seed_oss": ("<seed:think>", "</seed:think>"),
}
"""Start and end as vLLM's parsers have them; the other parsers' are <think> and </think>."""
THINK = ("<think>", "</think>")
PROSE = st.text(st.sampled_from(ascii_letters + "0123456789 \n.,`*#äß長文"), min_size=1)
"""Texts without marks; a lone word that is one ("analysis") is too rare to come up."""
TEXTS = PROSE.map(str.strip).filter(bool)
PREFILLED = st.sampled_from([None, True, False])
DECLARED = [ANY, {**ANY, "tags": ["<thought>", "</thought>"]}]
DECLARED += [{**ANY, "parser": parser} for parser in ("qwen3", "openai_gptoss", "granite")]
PIECES = ["<think>", "</think>", "`", "```\n", "\n\n", "a", " ", "<thought>", "</thought>"]
PIECES += ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|end|>", "analysis"]
MARKED = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.mark.parametrize("parser", FACTS["parsers"])
@given(reasoning=TEXTS, answer=TEXTS, blank=st.sampled_from(["", "\n", "\n\n"]))
def test_every_parser_gives_reasoning_and_answer_back(parser, reasoning, answer, blank):
    start, end = PAIRS.get(parser, THINK)
    text = f"{start}{blank}{reasoning}{blank}{end}{blank}{answer}"
    told = separate_reasoning(Response("ok", text), {**ANY, "parser": parser}, None)
    assert (told.status, told.reasoning, told.text) == ("ok", reasoning, answer)


@given(
    MARKED | PROSE,
    st.sampled_from([None, *DECLARED]),
    PREFILLED,
    st.sampled_from(["ok", "length"]),
    st.none() | TEXTS,
)
def test_an_unfinished_response_has_no_answer_and_an_empty_one_is_no_answer(
    text, how, prefilled, status, given_apart
):
    told = separate_reasoning(Response(status, text, reasoning=given_apart), how, prefilled)
    assert told.status in (status, "unfinished")
    if told.status == "unfinished":
        assert told.text == ""
    elif not told.text.strip():
        assert told.reasoning is None


@given(TEXTS, TEXTS, st.sampled_from(DECLARED), PREFILLED)
def test_what_is_told_apart_stays_so(reasoning, answer, how, prefilled):
    told = separate_reasoning(Response("ok", f"<think>{reasoning}</think>{answer}"), how, prefilled)
    assume(not any(mark in told.text for mark in marks(ANY)))
    assert separate_reasoning(told, None, None) == told
    assert separate_reasoning(Response("ok", told.text), None, None).text == told.text


@given(PROSE, st.sampled_from([None, False]))
def test_plain_text_of_a_model_that_is_not_said_to_think_is_unchanged(text, prefilled):
    assert separate_reasoning(Response("ok", text), None, prefilled) == Response("ok", text)


HOSTILE = ["<think>", "</think>", "<think></think>", "<think>`</think>", "`", "` ", "```\n"]
HOSTILE += [
    "<think>a</think></think>",
    "\u200b",
    "assistant ",
    "</s>",
    "<|x|>",
    "```</think>",
    "<|channel|>analysis",
    "<|channel|>final<|message|>`",
    " ",
    "\n \n",
    "<",
]


@pytest.mark.quick(12)
@pytest.mark.usefixtures("cpu_limit")
@pytest.mark.parametrize("parser", [None, "qwen3", "openai_gptoss"])
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("before", ["", "4 "])
def test_a_long_text_of_marks_is_told_apart(before, unit, parser):
    # In quadratic time any of these would take minutes.
    how = {**ANY, "parser": parser} if parser else None
    told = separate_reasoning(Response("ok", before + unit * (LONG // len(unit))), how, None)
    assert told.status in ("ok", "unfinished")


@pytest.mark.usefixtures("cpu_limit")
def test_runs_of_back_ticks_of_every_length_take_seconds():
    text = " ".join("`" * length for length in range(1, 1400)) + "</think>4"
    assert separate_reasoning(Response("ok", text), None, None).text == "4"
