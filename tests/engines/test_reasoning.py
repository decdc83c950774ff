"""Reasoning is separated from the answer: examples of each dialect, and what is no answer."""

from unittest.mock import Mock

import pytest
import yaml

from steadfast.base.resources import resource
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.sending.dialects import DIALECTS, FACTS, may_hold_marks
from steadfast.engines.sending.reasoning import marks, separate_reasoning, start_tags
from steadfast.engines.sending.requests import reasoning_separator

ANY_DIALECT = {"tags": None, "parser": None, "tokens": 100, "prefilled": None}


def parsed_by(parser, prefilled=None):
    """A declared model; ``prefilled``: the config says whether the prompt opens the reasoning."""
    return {**ANY_DIALECT, "parser": parser, "prefilled": prefilled}


QWEN = parsed_by("qwen3")
GPT_OSS = parsed_by("openai_gptoss")
GRANITE = parsed_by("granite")  # whose marks are ordinary words
THOUGHT_TAGS = {**ANY_DIALECT, "tags": ["<thought>", "</thought>"]}
FENCE = '```py\ns = "</think>"\n```'
ANALYSIS = "<|channel|>analysis<|message|>2+2"
HARMONY = f"{ANALYSIS}<|end|><|start|>assistant<|channel|>final<|message|>4<|return|>"
CHARACTERS = Mock(count=len)  # a tokenizer
NESTED = "<think>a<think>b</think>"
PHRASES = "Here is my thought process: T Here is my response:"
TWO_STARTS = "<think>a</think>Write <think> first."


def separate(text, dialect, prefilled=None, status="ok", **fields):
    """Status, reasoning and answer."""
    separated = separate_reasoning(Response(status, text, **fields), dialect, prefilled)
    return separated.status, separated.reasoning, separated.text


DECLARED = {
    "1 closed tags": ("<think>\n2+2\n</think>\n\n4", QWEN, None, "ok", "2+2", "4"),
    "2 prefilled": ("2+2\n</think>\n\n4", QWEN, True, "ok", "2+2", "4"),
    "2 prefilled, not known": ("2+2\n</think>\n\n4", QWEN, None, "ok", "2+2", "4"),
    "3 unterminated": ("<think>\nlet me see 5", QWEN, None, "length", "let me see 5", ""),
    "4 unterminated, prefilled": ("let me see 5", QWEN, True, "length", "let me see 5", ""),
    "5 empty answer": ("<think>\nT\n</think>\n\n", QWEN, None, "ok", "T", ""),
    "6 two reasoning": ("<think>a</think>X <think>b</think>Y", QWEN, None, "ok", "a\nb", "X Y"),
    "7 tag in code": (f"<think>a</think>{FENCE}", QWEN, None, "ok", "a", FENCE),
    "11 harmony": (HARMONY, GPT_OSS, False, "ok", "2+2", "4"),
    "12 harmony cut": (f"{ANALYSIS} is", GPT_OSS, False, "length", "2+2 is", ""),
    "13 [THINK]": ("[THINK]2+2[/THINK]4", parsed_by("mistral"), None, "ok", "2+2", "4"),
    "14 special tags gone": ("analysis2+2assistantfinal4", GPT_OSS, None, "ok", "2+2", "4"),
    "20 cut in answer": ("<think>T</think>It is", QWEN, None, "length", "T", "It is"),
    "22 thinking off": ("4", QWEN, False, "ok", None, "4"),
    "22 thinking off, not known": ("4", QWEN, None, "ok", None, "4"),
    "23 other tag": ("<thought>2+2</thought>4", THOUGHT_TAGS, None, "ok", "2+2", "4"),
    "cut without tags, prompt not known": ("The end", QWEN, None, "length", "The end", ""),
    "stopped without tags, not known": ("The end", QWEN, None, "ok", None, "The end"),
    "cut without tags, nothing opened": ("The end", QWEN, False, "length", None, "The end"),
    "stopped without tags, prefilled": ("2+2", QWEN, True, "ok", "2+2", ""),
    "the config says prefilled": ("2+2", parsed_by("qwen3", True), False, "ok", "2+2", ""),
    "the config says not prefilled": ("4", parsed_by("qwen3", False), True, "ok", None, "4"),
    "a start after a prefilled one": ("<think>\n2+2</think>4", QWEN, True, "ok", "2+2", "4"),
    "only an end, nothing opened": ("</think> ends", QWEN, False, "ok", None, "</think> ends"),
    "a later start without an end": (TWO_STARTS, QWEN, None, "ok", "a", "Write <think> first."),
    "the same, nothing opened": (TWO_STARTS, QWEN, False, "ok", "a", "Write <think> first."),
    "the same, cut": (TWO_STARTS, QWEN, None, "length", "a\nfirst.", ""),
    "the same, cut, nothing opened": (TWO_STARTS, QWEN, False, "length", "a\nfirst.", ""),
    "a fence after later reasoning": (
        f"<think>a</think>X<think>b</think>{FENCE}", QWEN, None, "ok", "a\nb", f"X{FENCE}"),
    "in the middle": ("X <think>a</think>Y", QWEN, False, "ok", "a", "X Y"),
    "in the middle, cut later": ("X <think>a</think>Y", QWEN, False, "length", "a", "X Y"),
    "nested in the middle": (f"X {NESTED}Y", QWEN, False, "ok", "a<think>b", "X Y"),
    "nested in the middle, cut": (f"X {NESTED}Y", QWEN, False, "length", "a<think>b", ""),
    "words in the middle": (f"X{PHRASES}4", GRANITE, False, "ok", "T", "X4"),
    "back-ticks of two paragraphs": (
        "<think>it`s</think>\n\nX<think>b</think> `", QWEN, None, "ok", "it`s\nb", "X `"),
    "back-ticks around reasoning": (
        "a`\n\n<think>b</think>c`", QWEN, False, "ok", "b", "a`\n\nc`"),
    "a channel without an end": ("thought\nT4", parsed_by("gemma4"), None, "ok", "T4", ""),
    "any dialect": ("<seed:think>T</seed:think>4", ANY_DIALECT, None, "ok", "T", "4"),
    "any dialect of a parser": ("X [THINK]T[/THINK]4", parsed_by("hf"), None, "ok", "T", "X 4"),
    "no dialect": ("4 <|end|>", ANY_DIALECT, None, "ok", None, "4 <|end|>"),
    "another dialect than the declared": (
        "<thought>T</thought>4", QWEN, None, "ok", None, "<thought>T</thought>4"),
}  # fmt: skip
UNDECLARED = {
    "15 not configured": ("<think>2+2</think>4", "ok", "2+2", "4"),
    "start tag": ("\n<think>T</think>4", "ok", "T", "4"),
    "start tag, cut": ("<seed:think>T", "length", "T", ""),
    "lone end tag": ("T\n</think>\n4", "ok", "T", "4"),
    "end tag of another dialect": ("<thought> is </think>4", "ok", "is </think>4", ""),
    "lone end tag, another dialect before": ("Use <thought> </think>4", "ok", "Use <thought>", "4"),
    "phrases": ("Here is my thought process: T Here is my response: 4", "ok", "T", "4"),
    "channel without tokens, cut": ("analysisWe need", "length", "We need", ""),
    "the same, a word of one letter": ("analysisI need", "length", "I need", ""),
}
CODE = {
    "inline": ("I quote `</think>` here.\n</think>4", "I quote `</think>` here.", "4"),
    "fence": (f"I write\n{FENCE}\nand end.</think>4", f"I write\n{FENCE}\nand end.", "4"),
    "open fence": ("An open\n```py\nx\n</think>\n4", "An open\n```py\nx", "4"),
    "one back-tick": ("It`s </think>a `b`", "It`s", "a `b`"),
    "second inline": ("I quote `a`, `</think>`.\n</think>4", "I quote `a`, `</think>`.", "4"),
    "right behind code": ("It is `x`</think>4 </think>", "It is `x`", "4 </think>"),
    "runs of two lengths": ("two `` and ` </think>`4`", "two `` and `", "`4`"),
}
"""Texts after a start; some have the end in code too."""
WRAPPED = {
    "closed": ("hunyuan_a13b", "<think>\nT\n</think>\n<answer>\n4\n</answer>", "4"),
    "cut": ("hunyuan_a13b", "<think>\nT\n</think>\n<answer>\n4", "4"),
    "Ernie's": ("ernie45", "T\n</think>\n\n<response>\n4\n</response>\n", "4"),
    "within the answer": ("ernie45", "T\n</think>\n4 in <response>", "4 in <response>"),
    "another parser's": ("qwen3", "T</think><answer>4</answer>", "<answer>4</answer>"),
    "Cohere's": ("cohere_command3",
                 "T<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>", "4"),
    "Kimi's": ("kimi_k3", "T<|close|>think<|sep|><|open|>response<|sep|>4<|close|>response<|sep|>"
               "<|close|>message<|sep|>", "4"),
}  # fmt: skip
CASES = {**DECLARED}
for name, (text, *case) in UNDECLARED.items():
    CASES[name] = (text, None, None, *case)
for name, (text, *case) in CODE.items():
    CASES[f"code, {name}"] = (f"<think>{text}", QWEN, None, "ok", *case)
for name, (parser, text, answer) in WRAPPED.items():
    CASES[f"wrapper, {name}"] = (text, parsed_by(parser), None, "ok", "T", answer)


@pytest.mark.parametrize(
    ("text", "dialect", "prefilled", "status", "reasoning", "answer"), CASES.values(), ids=CASES
)
def test_text_is_split_into_reasoning_and_answer(
    text, dialect, prefilled, status, reasoning, answer
):
    expected_status = status if answer else "unfinished"
    assert separate(text, dialect, prefilled, status) == (expected_status, reasoning, answer)


FIELDS = {
    "answer": ("4", "ok", "2+2", "ok"),
    "truncated answer": ("It is", "length", "T", "length"),
    "no answer": ("", "ok", "4", "unfinished"),  # the server's parser took it for reasoning
    "no answer, truncated": ("", "length", "2+2 is", "unfinished"),
}


@pytest.mark.parametrize("dialect", [QWEN, ANY_DIALECT, None], ids=["named", "any", "undeclared"])
@pytest.mark.parametrize(("text", "status", "reasoning", "expected"), FIELDS.values(), ids=FIELDS)
def test_reasoning_in_its_own_field_is_kept(dialect, text, status, reasoning, expected):
    separated = separate(text, dialect, None, status, reasoning=reasoning)
    assert separated == (expected, reasoning, text)


def hidden(completion, reasoning):
    return {"completion_tokens": completion, "reasoning_tokens": reasoning}


HIDDEN = {
    "16 it took the whole limit": ("", QWEN, "length", hidden(300, 300), "unfinished"),
    "16 undeclared": ("", None, "length", hidden(300, 300), "unfinished"),
    "16 not counted": ("", None, "length", {}, "unfinished"),
    "17 before an answer": ("4", QWEN, "ok", hidden(70, 64), "ok"),
    "21 without an answer": ("", QWEN, "ok", {"reasoning_tokens": 300}, "unfinished"),
    "ended before the cut": ("The answer", QWEN, "length", hidden(300, 200), "length"),
    "ended after a token": ("The answer", QWEN, "length", hidden(300, 1), "length"),
    "no sign of it": ("", None, "ok", {}, "ok"),
    "no sign of it, declared": (" \n", QWEN, "ok", {}, "ok"),
}


@pytest.mark.parametrize(
    ("text", "dialect", "status", "counts", "expected"), HIDDEN.values(), ids=HIDDEN
)
def test_hidden_reasoning_is_detected_by_its_tokens(text, dialect, status, counts, expected):
    assert separate(text, dialect, None, status, **counts) == (expected, None, text)


def test_cut_response_without_counted_reasoning_may_be_all_reasoning():
    for counts in ({"completion_tokens": 300}, hidden(300, 300)):
        separated = separate("The end", QWEN, None, "length", **counts)
        assert separated == ("unfinished", "The end", "")


@pytest.mark.parametrize("status", sorted(set(STATUSES) - {"ok", "length"}))
def test_response_without_an_answer_is_unchanged(status):
    response = Response(status, "<think>a</think>b", reasoning="c")
    assert separate_reasoning(response, QWEN, True) is response


@pytest.mark.parametrize(
    "answer",
    [
        "`<think>a</think>`",
        "``a ` <think>b</think>``",
        "```\n<think>a</think>\n```",
        "````\n```\n<think>a</think>\n```\n````",
        "1. x\n   ```py\n   <think>a</think>\n\n   ```",
        "```\n<think>a</think>",
    ],
)
def test_tags_in_code_of_an_answer_are_kept(answer):
    assert separate(f"<think>T</think>\n{answer}", QWEN) == ("ok", "T", answer)
    assert separate(answer, QWEN) == ("ok", None, answer)
    assert separate(answer, None) == ("ok", None, answer)


@pytest.mark.parametrize(
    ("response", "tokenizer", "tokens"),
    [
        (Response("ok", "<think>2+2</think>4"), CHARACTERS, 3),
        (Response("ok", "<think>2+2</think>4", reasoning_tokens=9), CHARACTERS, 9),
        (Response("ok", "4"), CHARACTERS, None),
        (Response("ok", "<think>2+2</think>4"), None, None),
    ],
)
def test_reasoning_that_is_not_counted_is_counted_by_the_models_tokenizer(
    response, tokenizer, tokens
):
    engine = Mock(has_model=True, tokenizer=tokenizer, prefilled=lambda starts: False)
    assert reasoning_separator(engine, QWEN)(response).reasoning_tokens == tokens


def test_servers_reasoning_comes_first_and_once():
    assert separate("<think>b</think>4", QWEN, reasoning="\na\n") == ("ok", "a\nb", "4")
    # llama.cpp's format deepseek-legacy leaves the tags in the content too.
    assert separate("<think>\na</think>4", QWEN, reasoning="a") == ("ok", "a", "4")
    # SGLang 0.5.23 leaves Hunyuan's wrapper.
    wrapped = "<answer>\n4\n</answer>"
    assert separate(wrapped, parsed_by("hunyuan_a13b"), reasoning="T") == ("ok", "T", "4")


@pytest.mark.parametrize(
    "dialect", [QWEN, GPT_OSS, GRANITE, None], ids=["tags", "channels", "words", "undeclared"]
)
@pytest.mark.parametrize("answer", ["a </think> b", "analysis: a\n", "Here is my response: a"])
@pytest.mark.parametrize(("prefilled", "status"), [(True, "ok"), (None, "length")])
def test_text_beside_the_servers_reasoning_is_the_answer(answer, dialect, prefilled, status):
    separated = separate(answer, dialect, prefilled, status, reasoning="T")
    assert separated == (status, "T", answer)


CHANNELS = {
    "headers": (
        "<|start|>assistant<|channel|>analysis<|message|>a<|end|>"
        "<|start|>assistant<|channel|>commentary to=user <|constrain|>json<|message|>b<|end|>"
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>",
        "a\nb", "{}",
    ),
    "final alone": ("<|channel|>final<|message|>4<|return|>", None, "4"),
    "reasoning after the answer": (
        HARMONY + "<|start|>assistant<|channel|>analysis<|message|>b", "2+2\nb", "4"),
    "no header": ("2+2<|end|><|start|>assistant<|channel|>final<|message|>4", "2+2", "4"),
    "without tokens": ("analysis2+2assistantcommentarybassistantfinal4", "2+2\nb", "4"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reasoning", "answer"), CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize("dialect", [GPT_OSS, None], ids=["declared", "undeclared"])
def test_channels_are_separated(text, reasoning, answer, dialect):
    assert separate(text, dialect, False) == ("ok", reasoning, answer)


@pytest.mark.parametrize("text", ["analysis2+2", "commentaryWe", "<|channel|>analysis<|message|>x"])
def test_stopped_response_without_final_channel_is_unfinished(text):
    status, _, answer = separate(text, GPT_OSS, False)
    assert (status, answer) == ("unfinished", "")


PLAIN = [
    "X <think>a</think> Y", "analysis of the text", "Here is my response: 4",
    "Here is my thought process: 4", "thought\nA", " 4 \n",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("status", ["ok", "length"])
def test_ordinary_answers_of_undeclared_models_are_kept(text, status):
    assert separate(text, None, None, status) == (status, None, text)


def test_parsers_are_those_of_vllm():
    # ReasoningParserManager.list_registered() of vLLM 0.32.0
    names = """cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41
    ernie45 gemma4 glm45 glm47 granite granite_thinking_parser hf holo2 hunyuan_a13b hy_v3 hy_v4
    inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo minicpmv minimax_m2 minimax_m2_append_think
    minimax_m3 mistral muse_glimmer nemotron_v3 olmo3 openai_gptoss plamo3 poolside_v1 qwen3
    seed_oss step3 step3p5"""
    assert tuple(names.split()) == tuple(FACTS["parsers"])
    facts = yaml.safe_load(resource("engines/reasoning.yaml").read_text())
    assert set(facts["unconfirmed"]) | set(facts["wrappers"]) <= set(FACTS["parsers"])


@pytest.mark.parametrize(
    ("dialect", "starts"),
    [
        (QWEN, ("<think>",)),
        (THOUGHT_TAGS, ("<thought>",)),
        ({**ANY_DIALECT, "tags": ["<t>\n", "</t>"]}, ("<t>",)),
        (parsed_by("gemma4"), ("<|channel>thought", "<|channel>")),
        (GPT_OSS, ("<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>")),
    ],
)
def test_start_tags_at_the_end_of_a_prompt(dialect, starts):
    assert start_tags(dialect) == starts


@pytest.mark.parametrize(
    ("dialect", "pieces"),
    [
        (QWEN, {"<think>", "</think>"}),
        (THOUGHT_TAGS, {"<thought>", "</thought>"}),
        (parsed_by("mistral"), {"[THINK]", "[/THINK]", "<think>", "</think>"}),
        (parsed_by("kimi_k3"), {"<|open|>", "<|close|>", "<|sep|>"}),
        (GPT_OSS, {"<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|return|>"}),
        ({}, {"<think>", "[THINK]", "<|channel|>", "<|channel>", "</seed:think>"}),
    ],
)
def test_marks_are_split_into_possible_special_tokens(dialect, pieces):
    assert pieces <= set(marks(dialect))


WITHOUT_WORDS = {name: dialect for name, dialect in DIALECTS.items() if not dialect.words}


@pytest.mark.parametrize("dialect", WITHOUT_WORDS.values(), ids=WITHOUT_WORDS)
def test_quick_check_detects_each_mark(dialect):
    assert all(map(may_hold_marks, (*dialect.marks, *dialect.openings)))
    assert not may_hold_marks("An answer [1], with 3 > 2 and no THINKING.")
