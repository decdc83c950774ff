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


def read(text, how, prefilled=None, status="ok", **fields):
    """Status, reasoning and answer."""
    told = separate_reasoning(Response(status, text, **fields), how, prefilled)
    return told.status, told.reasoning, told.text


PROVIDERS = {
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
    "13 [THINK]": ("[THINK]2+2[/THINK]4", {**ANY, "parser": "mistral"}, None, "ok", "2+2", "4"),
    "14 special tags gone": ("analysis2+2assistantfinal4", GPT_OSS, None, "ok", "2+2", "4"),
    "15 not configured": ("<think>2+2</think>4", None, None, "ok", "2+2", "4"),
    "20 cut in answer": ("<think>T</think>It is", QWEN, None, "length", "T", "It is"),
    "22 thinking off": ("4", QWEN, False, "ok", None, "4"),
    "22 thinking off, not known": ("4", QWEN, None, "ok", None, "4"),
    "23 other tag": ("<thought>2+2</thought>4", THOUGHT_TAGS, None, "ok", "2+2", "4"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "how", "prefilled", "status", "reasoning", "answer"), PROVIDERS.values(), ids=PROVIDERS
)
def test_dialects_of_texts(text, how, prefilled, status, reasoning, answer):
    expected = status if answer else "unfinished"
    assert read(text, how, prefilled, status) == (expected, reasoning, answer)


@pytest.mark.parametrize("how", [QWEN, ANY, None], ids=["named", "any", "undeclared"])
def test_reasoning_in_a_field_of_its_own_stays_apart_from_the_answer(how):
    assert read("4", how, reasoning="2+2") == ("ok", "2+2", "4")
    assert read("It is", how, status="length", reasoning="T") == ("length", "T", "It is")
    assert read("", how, reasoning="4") == ("unfinished", "4", "")  # a parser ate the answer
    assert read("", how, status="length", reasoning="2+2 is") == ("unfinished", "2+2 is", "")


@pytest.mark.parametrize("how", [QWEN, None], ids=["declared", "undeclared"])
def test_dialect_16_a_hidden_reasoning_that_took_the_whole_limit(how):
    hidden = {"completion_tokens": 300, "reasoning_tokens": 300}
    assert read("", how, status="length", **hidden) == ("unfinished", None, "")


def test_dialect_16_also_where_no_reasoning_was_counted():
    assert read("", None, status="length") == ("unfinished", None, "")


def test_dialect_17_a_hidden_reasoning_before_an_answer():
    assert read("4", QWEN, completion_tokens=70, reasoning_tokens=64) == ("ok", None, "4")


def test_dialect_21_a_hidden_reasoning_without_an_answer():
    assert read("", QWEN, reasoning_tokens=300) == ("unfinished", None, "")


def test_an_empty_answer_without_a_sign_of_reasoning_stays():
    assert read("", None) == ("ok", None, "")
    assert read(" \n", QWEN) == ("ok", None, " \n")


@pytest.mark.parametrize("status", sorted(set(STATUSES) - {"ok", "length"}))
def test_what_is_no_answer_is_left_alone(status):
    response = Response(status, "<think>a</think>b", reasoning="c")
    assert separate_reasoning(response, QWEN, True) is response


def test_a_cut_text_without_tags_may_be_reasoning_where_the_prompt_is_not_known():
    assert read("The answer", QWEN, None, "length") == ("unfinished", "The answer", "")


def test_a_cut_text_without_tags_is_an_answer_where_the_prompt_opens_no_reasoning():
    assert read("The answer", QWEN, False, "length") == ("length", None, "The answer")


def test_a_cut_text_is_an_answer_where_the_server_counted_a_hidden_reasoning_that_ended():
    counts = {"completion_tokens": 300, "reasoning_tokens": 200}
    assert read("The answer", QWEN, None, "length", **counts) == ("length", None, "The answer")


def test_a_stopped_text_without_tags_is_reasoning_where_the_prompt_opens_one():
    assert read("2+2", QWEN, True) == ("unfinished", "2+2", "")


def test_what_the_config_says_of_the_prompt_wins():
    assert read("2+2", {**QWEN, "prefilled": True}, False) == ("unfinished", "2+2", "")
    assert read("4", {**QWEN, "prefilled": False}, True) == ("ok", None, "4")


def test_a_start_tag_after_a_prefilled_one_is_no_part_of_the_reasoning():
    assert read("<think>\n2+2</think>4", QWEN, True) == ("ok", "2+2", "4")


def test_an_end_tag_without_a_start_tag_stays_where_the_prompt_opens_no_reasoning():
    assert read("</think> ends it", QWEN, False) == ("ok", None, "</think> ends it")


@pytest.mark.parametrize("prefilled", [None, False])
def test_a_later_start_tag_without_an_end(prefilled):
    text = "<think>a</think>Write <think> first."
    assert read(text, QWEN, prefilled) == ("ok", "a", "Write <think> first.")
    assert read(text, QWEN, prefilled, "length") == ("unfinished", "a\nfirst.", "")


def test_a_fence_right_after_a_later_reasoning_is_code():
    told = read(f"<think>a</think>X<think>b</think>{FENCE}", QWEN)
    assert told == ("ok", "a\nb", f"X{FENCE}")


def test_reasoning_in_the_middle_are_taken_out():
    assert read("X <think>a</think>Y", QWEN, False) == ("ok", "a", "X Y")


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("I quote `</think>` here.\n</think>4", "I quote `</think>` here.", "4"),
        (f"I write\n{FENCE}\nand end.</think>4", f"I write\n{FENCE}\nand end.", "4"),
        ("An open\n```py\nx\n</think>\n4", "An open\n```py\nx", "4"),
        ("It`s </think>a `b`", "It`s", "a `b`"),
        ("two `` and ` </think>`4`", "two `` and `", "`4`"),
    ],
    ids=["inline", "fence", "open fence", "one back-tick", "runs of two lengths"],
)
def test_an_end_tag_in_code_ends_reasoning_only_where_no_other_does(text, reasoning, answer):
    assert read(f"<think>{text}", QWEN) == ("ok", reasoning, answer)


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


def test_back_ticks_of_two_paragraphs_hold_no_code_between_them():
    assert read("<think>it`s</think>\n\nX<think>b</think> `", QWEN) == ("ok", "it`s\nb", "X `")
    assert read("a`\n\n<think>b</think>c`", QWEN, False) == ("ok", "b", "a`\n\nc`")


def test_reasoning_that_the_server_gave_comes_first():
    told = read("<think>b</think>4", QWEN, reasoning="\na\n")
    assert told == ("ok", "a\nb", "4")


def test_reasoning_that_the_server_gave_twice_is_kept_once():
    # llama.cpp's format deepseek-legacy leaves the tags in the content too.
    assert read("<think>\na</think>4", QWEN, reasoning="a") == ("ok", "a", "4")


@pytest.mark.parametrize("how", [QWEN, GPT_OSS, None], ids=["tags", "channels", "undeclared"])
@pytest.mark.parametrize("answer", ["a </think> b", "analysis: a\n", "Here is my response: a"])
def test_after_reasoning_that_the_server_gave_the_text_is_the_answer(answer, how):
    assert read(answer, how, True, reasoning="T") == ("ok", "T", answer)
    assert read(answer, how, None, "length", reasoning="T") == ("length", "T", answer)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        (
            "<|start|>assistant<|channel|>analysis<|message|>a<|end|>"
            "<|start|>assistant<|channel|>commentary to=user <|constrain|>json<|message|>b<|end|>"
            "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>",
            "a\nb",
            "{}",
        ),
        ("<|channel|>final<|message|>4<|return|>", None, "4"),
        (HARMONY + "<|start|>assistant<|channel|>analysis<|message|>b", "2+2\nb", "4"),
        ("2+2<|end|><|start|>assistant<|channel|>final<|message|>4", "2+2", "4"),
        ("analysis2+2assistantcommentarybassistantfinal4", "2+2\nb", "4"),
    ],
    ids=["headers", "final alone", "reasoning after the answer", "no header", "without tokens"],
)
@pytest.mark.parametrize("how", [GPT_OSS, None], ids=["declared", "undeclared"])
def test_channels(text, reasoning, answer, how):
    assert read(text, how, False) == ("ok", reasoning, answer)


@pytest.mark.parametrize("text", ["analysis2+2", "commentaryWe", "<|channel|>analysis<|message|>x"])
def test_channels_without_a_final_one_are_unfinished_also_where_the_model_stopped(text):
    assert read(text, GPT_OSS, False)[::2] == ("unfinished", "")


@pytest.mark.parametrize(
    ("parser", "text", "answer"),
    [
        ("hunyuan_a13b", "<think>\nT\n</think>\n<answer>\n4\n</answer>", "4"),
        ("hunyuan_a13b", "<think>\nT\n</think>\n<answer>\n4", "4"),
        ("ernie45", "T\n</think>\n\n<response>\n4\n</response>\n", "4"),
        ("ernie45", "T\n</think>\n4 in <response>", "4 in <response>"),
        ("qwen3", "T</think><answer>4</answer>", "<answer>4</answer>"),
        ("cohere_command3", "T<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>", "4"),
        (
            "kimi_k3",
            "T<|close|>think<|sep|><|open|>response<|sep|>4<|close|>response<|sep|>"
            "<|close|>message<|sep|>",
            "4",
        ),
    ],
)
def test_wrappers_of_answers(parser, text, answer):
    assert read(text, {**ANY, "parser": parser}) == ("ok", "T", answer)


def test_a_wrapper_that_the_server_left_is_removed():
    # SGLang 0.5.23 does so for Hunyuan.
    how = {**ANY, "parser": "hunyuan_a13b"}
    assert read("<answer>\n4\n</answer>", how, reasoning="T") == ("ok", "T", "4")


def test_a_channel_whose_end_cannot_be_seen_is_unfinished():
    assert read("thought\nT4", {**ANY, "parser": "gemma4"}) == ("unfinished", "T4", "")


UNDECLARED = {
    "start tag": ("\n<think>T</think>4", "ok", "T", "4"),
    "start tag, cut": ("<seed:think>T", "length", "T", ""),
    "lone end tag": ("T\n</think>\n4", "ok", "T", "4"),
    "end tag of another dialect": ("<thought> is </think>4", "ok", "is </think>4", ""),
    "lone end tag, another dialect before": ("Use <thought> </think>4", "ok", "Use <thought>", "4"),
    "phrases": ("Here is my thought process: T Here is my response: 4", "ok", "T", "4"),
    "channel without tokens, cut": ("analysisWe need", "length", "We need", ""),
}


@pytest.mark.parametrize(
    ("text", "status", "reasoning", "answer"), UNDECLARED.values(), ids=UNDECLARED
)
def test_reasoning_is_found_where_the_model_is_not_said_to_think(text, status, reasoning, answer):
    assert read(text, None, None, status) == (status if answer else "unfinished", reasoning, answer)


@pytest.mark.parametrize(
    "text",
    [
        "X <think>a</think> Y",
        "analysis of the text",
        "Here is my response: 4",
        "Here is my thought process: 4",
        "thought\nA",
        " 4 \n",
    ],
)
@pytest.mark.parametrize("status", ["ok", "length"])
def test_ordinary_answers_of_a_model_that_is_not_said_to_think_stay(text, status):
    assert read(text, None, None, status) == (status, None, text)


def test_any_dialect_is_found_where_neither_tags_nor_parser_is_given():
    assert read("<seed:think>T</seed:think>4", ANY) == ("ok", "T", "4")
    assert read("X [THINK]T[/THINK]4", {**ANY, "parser": "hf"}) == ("ok", "T", "X 4")
    assert read("4 <|end|>", ANY) == ("ok", None, "4 <|end|>")


def test_other_dialects_than_the_declared_one_stay():
    assert read("<thought>T</thought>4", QWEN) == ("ok", None, "<thought>T</thought>4")


def test_the_parsers_are_those_of_vllm():
    # ReasoningParserManager.list_registered() of vLLM 0.32.0
    names = """cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41
    ernie45 gemma4 glm45 glm47 granite granite_thinking_parser hf holo2 hunyuan_a13b hy_v3 hy_v4
    inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo minicpmv minimax_m2 minimax_m2_append_think
    minimax_m3 mistral muse_glimmer nemotron_v3 olmo3 openai_gptoss plamo3 poolside_v1 qwen3
    seed_oss step3 step3p5"""
    assert tuple(names.split()) == tuple(FACTS["parsers"])


def test_the_unconfirmed_are_parsers():
    known = yaml.safe_load(resource("engines/reasoning.yaml").read_text())
    assert set(known["unconfirmed"]) | set(known["wrappers"]) <= set(FACTS["parsers"])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (QWEN, ("<think>",)),
        (THOUGHT_TAGS, ("<thought>",)),
        ({**ANY, "tags": ["<t>\n", "</t>"]}, ("<t>",)),
        ({**ANY, "parser": "gemma4"}, ("<|channel>thought", "<|channel>")),
        (GPT_OSS, ("<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>")),
    ],
)
def test_start_tags_where_a_prompt_may_end(how, expected):
    assert start_tags(how) == expected


@pytest.mark.parametrize(
    ("how", "among"),
    [
        (QWEN, {"<think>", "</think>"}),
        (THOUGHT_TAGS, {"<thought>", "</thought>"}),
        ({**ANY, "parser": "mistral"}, {"[THINK]", "[/THINK]", "<think>", "</think>"}),
        ({**ANY, "parser": "kimi_k3"}, {"<|open|>", "<|close|>", "<|sep|>"}),
        (GPT_OSS, {"<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|return|>"}),
        ({}, {"<think>", "[THINK]", "<|channel|>", "<|channel>", "</seed:think>"}),
    ],
)
def test_marks_in_the_pieces_that_may_be_special_tokens(how, among):
    assert among <= set(marks(how))


@pytest.mark.parametrize("name", [name for name, one in DIALECTS.items() if not one.words])
def test_a_look_for_three_signs_finds_each_mark_that_is_no_ordinary_word(name):
    dialect = DIALECTS[name]
    assert all(map(may_hold_marks, (*dialect.marks, *dialect.openings)))
    assert not may_hold_marks("An answer [1], with 3 > 2 and no THINKING.")
