"""Reasoning told apart from answer: each dialect as it arrives, and what may never be an answer.

The numbers are those of the dialects that the field's servers and models write.
"""

import pytest
import yaml

from steadfast.base.resources import resource
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.asking.dialects import DIALECTS, FACTS, may_hold_marks
from steadfast.engines.asking.reasoning import marks, separate_reasoning, start_tags

ANY = {"tags": None, "parser": None, "tokens": 100, "prefilled": None}
QWEN = {**ANY, "parser": "qwen3"}
GPT_OSS = {**ANY, "parser": "openai_gptoss"}
THOUGHT_TAGS = {**ANY, "tags": ["<thought>", "</thought>"]}
FENCE = '```py\ns = "</think>"\n```'
ANALYSIS = "<|channel|>analysis<|message|>2+2"
HARMONY = f"{ANALYSIS}<|end|><|start|>assistant<|channel|>final<|message|>4<|return|>"
TWO_STARTS = "<think>a</think>Write <think> first."


def read(text, how, prefilled=None, status="ok", **fields):
    """Status, reasoning and answer."""
    separated = separate_reasoning(Response(status, text, **fields), how, prefilled)
    return separated.status, separated.reasoning, separated.text


def parsed_by(parser):
    return {**ANY, "parser": parser}


def given(prefilled):
    """A declared model whose config says whether the prompt opens the reasoning."""
    return {**QWEN, "prefilled": prefilled}


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
    "cut without tags, nothing opened": ("The end", QWEN, False, "length", None, "The end"),
    "stopped without tags, prefilled": ("2+2", QWEN, True, "ok", "2+2", ""),
    "the config says prefilled": ("2+2", given(True), False, "ok", "2+2", ""),
    "the config says not prefilled": ("4", given(False), True, "ok", None, "4"),
    "a start after a prefilled one": ("<think>\n2+2</think>4", QWEN, True, "ok", "2+2", "4"),
    "an end alone, nothing opened": ("</think> ends", QWEN, False, "ok", None, "</think> ends"),
    "a later start without an end": (TWO_STARTS, QWEN, None, "ok", "a", "Write <think> first."),
    "the same, nothing opened": (TWO_STARTS, QWEN, False, "ok", "a", "Write <think> first."),
    "the same, cut": (TWO_STARTS, QWEN, None, "length", "a\nfirst.", ""),
    "the same, cut, nothing opened": (TWO_STARTS, QWEN, False, "length", "a\nfirst.", ""),
    "a fence after later reasoning": (
        f"<think>a</think>X<think>b</think>{FENCE}", QWEN, None, "ok", "a\nb", f"X{FENCE}"),
    "in the middle": ("X <think>a</think>Y", QWEN, False, "ok", "a", "X Y"),
    "back-ticks of two paragraphs": (
        "<think>it`s</think>\n\nX<think>b</think> `", QWEN, None, "ok", "it`s\nb", "X `"),
    "back-ticks around reasoning": (
        "a`\n\n<think>b</think>c`", QWEN, False, "ok", "b", "a`\n\nc`"),
    "a channel without an end": ("thought\nT4", parsed_by("gemma4"), None, "ok", "T4", ""),
    "any dialect": ("<seed:think>T</seed:think>4", ANY, None, "ok", "T", "4"),
    "any dialect of a parser": ("X [THINK]T[/THINK]4", parsed_by("hf"), None, "ok", "T", "X 4"),
    "no dialect": ("4 <|end|>", ANY, None, "ok", None, "4 <|end|>"),
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
}
CODE = {
    "inline": ("I quote `</think>` here.\n</think>4", "I quote `</think>` here.", "4"),
    "fence": (f"I write\n{FENCE}\nand end.</think>4", f"I write\n{FENCE}\nand end.", "4"),
    "open fence": ("An open\n```py\nx\n</think>\n4", "An open\n```py\nx", "4"),
    "one back-tick": ("It`s </think>a `b`", "It`s", "a `b`"),
    "runs of two lengths": ("two `` and ` </think>`4`", "two `` and `", "`4`"),
}
"""Texts behind a start, of which some have the end in code too."""
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
CASES = {
    **DECLARED,
    **{name: (text, None, None, *case) for name, (text, *case) in UNDECLARED.items()},
    **{f"code, {name}": (f"<think>{text}", QWEN, None, "ok", *case)
       for name, (text, *case) in CODE.items()},
    **{f"wrapper, {name}": (text, parsed_by(parser), None, "ok", "T", answer)
       for name, (parser, text, answer) in WRAPPED.items()},
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "how", "prefilled", "status", "reasoning", "answer"), CASES.values(), ids=CASES
)
def test_reasoning_and_answer_of_a_text(text, how, prefilled, status, reasoning, answer):
    expected = status if answer else "unfinished"
    assert read(text, how, prefilled, status) == (expected, reasoning, answer)


FIELDS = {
    "apart": ("4", "ok", "2+2", ("ok", "2+2", "4")),
    "apart, cut": ("It is", "length", "T", ("length", "T", "It is")),
    "no answer": ("", "ok", "4", ("unfinished", "4", "")),  # a parser ate the answer
    "no answer, cut": ("", "length", "2+2 is", ("unfinished", "2+2 is", "")),
}


@pytest.mark.parametrize("how", [QWEN, ANY, None], ids=["named", "any", "undeclared"])
@pytest.mark.parametrize(("text", "status", "reasoning", "expected"), FIELDS.values(), ids=FIELDS)
def test_reasoning_in_a_field_of_its_own_stays_apart(how, text, status, reasoning, expected):
    assert read(text, how, None, status, reasoning=reasoning) == expected


def hidden(completion, reasoning):
    return {"completion_tokens": completion, "reasoning_tokens": reasoning}


UNSEEN = {
    "16 it took the whole limit": ("", QWEN, "length", hidden(300, 300), "unfinished"),
    "16 undeclared": ("", None, "length", hidden(300, 300), "unfinished"),
    "16 not counted": ("", None, "length", {}, "unfinished"),
    "17 before an answer": ("4", QWEN, "ok", hidden(70, 64), "ok"),
    "21 without an answer": ("", QWEN, "ok", {"reasoning_tokens": 300}, "unfinished"),
    "ended before the cut": ("The answer", QWEN, "length", hidden(300, 200), "length"),
    "no sign of it": ("", None, "ok", {}, "ok"),
    "no sign of it, declared": (" \n", QWEN, "ok", {}, "ok"),
}


@pytest.mark.parametrize(
    ("text", "how", "status", "counts", "expected"), UNSEEN.values(), ids=UNSEEN
)
def test_hidden_reasoning_is_told_by_its_tokens(text, how, status, counts, expected):
    assert read(text, how, None, status, **counts) == (expected, None, text)


@pytest.mark.parametrize("status", sorted(set(STATUSES) - {"ok", "length"}))
def test_what_is_no_answer_is_left_alone(status):
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
def test_tags_in_the_code_of_an_answer_stay(answer):
    assert read(f"<think>T</think>\n{answer}", QWEN) == ("ok", "T", answer)
    assert read(answer, QWEN) == ("ok", None, answer)
    assert read(answer, None) == ("ok", None, answer)


def test_reasoning_that_the_server_gave_comes_first_and_once():
    assert read("<think>b</think>4", QWEN, reasoning="\na\n") == ("ok", "a\nb", "4")
    # llama.cpp's format deepseek-legacy leaves the tags in the content too.
    assert read("<think>\na</think>4", QWEN, reasoning="a") == ("ok", "a", "4")
    # SGLang 0.5.23 leaves Hunyuan's wrapper.
    wrapped = read("<answer>\n4\n</answer>", parsed_by("hunyuan_a13b"), reasoning="T")
    assert wrapped == ("ok", "T", "4")


@pytest.mark.parametrize("how", [QWEN, GPT_OSS, None], ids=["tags", "channels", "undeclared"])
@pytest.mark.parametrize("answer", ["a </think> b", "analysis: a\n", "Here is my response: a"])
@pytest.mark.parametrize(("prefilled", "status"), [(True, "ok"), (None, "length")])
def test_after_reasoning_that_the_server_gave_the_text_is_the_answer(
    answer, how, prefilled, status
):
    assert read(answer, how, prefilled, status, reasoning="T") == (status, "T", answer)


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
@pytest.mark.parametrize("how", [GPT_OSS, None], ids=["declared", "undeclared"])
def test_channels(text, reasoning, answer, how):
    assert read(text, how, False) == ("ok", reasoning, answer)


@pytest.mark.parametrize("text", ["analysis2+2", "commentaryWe", "<|channel|>analysis<|message|>x"])
def test_channels_without_a_final_one_are_unfinished_also_where_the_model_stopped(text):
    assert read(text, GPT_OSS, False)[::2] == ("unfinished", "")


PLAIN = [
    "X <think>a</think> Y", "analysis of the text", "Here is my response: 4",
    "Here is my thought process: 4", "thought\nA", " 4 \n",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("status", ["ok", "length"])
def test_ordinary_answers_of_a_model_that_is_not_said_to_think_stay(text, status):
    assert read(text, None, None, status) == (status, None, text)


def test_the_parsers_are_those_of_vllm():
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
    ("how", "starts"),
    [
        (QWEN, ("<think>",)),
        (THOUGHT_TAGS, ("<thought>",)),
        ({**ANY, "tags": ["<t>\n", "</t>"]}, ("<t>",)),
        (parsed_by("gemma4"), ("<|channel>thought", "<|channel>")),
        (GPT_OSS, ("<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>")),
    ],
)
def test_start_tags_where_a_prompt_may_end(how, starts):
    assert start_tags(how) == starts


@pytest.mark.parametrize(
    ("how", "pieces"),
    [
        (QWEN, {"<think>", "</think>"}),
        (THOUGHT_TAGS, {"<thought>", "</thought>"}),
        (parsed_by("mistral"), {"[THINK]", "[/THINK]", "<think>", "</think>"}),
        (parsed_by("kimi_k3"), {"<|open|>", "<|close|>", "<|sep|>"}),
        (GPT_OSS, {"<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|return|>"}),
        ({}, {"<think>", "[THINK]", "<|channel|>", "<|channel>", "</seed:think>"}),
    ],
)
def test_marks_in_the_pieces_that_may_be_special_tokens(how, pieces):
    assert pieces <= set(marks(how))


@pytest.mark.parametrize("name", [name for name, each in DIALECTS.items() if not each.words])
def test_a_look_for_three_signs_finds_each_mark_that_is_no_ordinary_word(name):
    dialect = DIALECTS[name]
    assert all(map(may_hold_marks, (*dialect.marks, *dialect.openings)))
    assert not may_hold_marks("An answer [1], with 3 > 2 and no THINKING.")
