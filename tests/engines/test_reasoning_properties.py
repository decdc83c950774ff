"""Reasoning told apart from answer: what holds for any texts, and for hostile ones.

Gold behind hostile reasoning is the answer, and an answer that mentions tags stays whole.
"""

from dataclasses import replace
from itertools import product
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parts import items
from steadfast.contract.request import Response
from steadfast.engines.asking.dialects import FACTS
from steadfast.engines.asking.reasoning import holds_pair, marks, separate_reasoning

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
    separated = separate_reasoning(Response("ok", text), {**ANY, "parser": parser}, None)
    assert (separated.status, separated.reasoning, separated.text) == ("ok", reasoning, answer)


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
    separated = separate_reasoning(Response(status, text, reasoning=given_apart), how, prefilled)
    assert separated.status in (status, "unfinished")
    if separated.status == "unfinished":
        assert separated.text == ""
    elif not separated.text.strip():
        assert separated.reasoning is None


@given(TEXTS, TEXTS, st.sampled_from(DECLARED), PREFILLED)
def test_what_is_told_apart_stays_so(reasoning, answer, how, prefilled):
    separated = separate_reasoning(
        Response("ok", f"<think>{reasoning}</think>{answer}"), how, prefilled
    )
    assume(not any(mark in separated.text for mark in marks(ANY)))
    assert separate_reasoning(separated, None, None) == separated
    assert separate_reasoning(Response("ok", separated.text), None, None).text == separated.text


@given(PROSE, st.sampled_from([None, False]))
def test_plain_text_of_a_model_that_is_not_said_to_think_is_unchanged(text, prefilled):
    assert separate_reasoning(Response("ok", text), None, prefilled) == Response("ok", text)


HOSTILE = [
    "<think>", "</think>", "<think></think>", "<think>`</think>", "`", "` ", "```\n",
    "<think>a</think></think>", "\u200b", "assistant ", "</s>", "<|x|>", "```</think>",
    "<|channel|>analysis", "<|channel|>final<|message|>`", " ", "\n \n", "<",
]  # fmt: skip


@pytest.mark.quick(12)
@pytest.mark.usefixtures("cpu_limit")
@pytest.mark.parametrize("parser", [None, "qwen3", "openai_gptoss"])
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("before", ["", "4 "])
def test_a_long_text_of_marks_is_told_apart(before, unit, parser):
    # In quadratic time any of these would take minutes.
    how = {**ANY, "parser": parser} if parser else None
    separated = separate_reasoning(Response("ok", before + unit * (LONG // len(unit))), how, None)
    assert separated.status in ("ok", "unfinished")


@pytest.mark.usefixtures("cpu_limit")
def test_runs_of_back_ticks_of_every_length_take_seconds():
    text = " ".join("`" * length for length in range(1, 1400)) + "</think>4"
    assert separate_reasoning(Response("ok", text), None, None).text == "4"


# --- gold behind hostile reasoning ---------------------------------------------------------------

CHANNELS = ("openai_gptoss", "inkling", "muse_glimmer")
"""Parsers of models whose reasoning stand in channels, which hold no other reasoning."""
STRINGS = ("granite",)
"""Parsers of models whose marks are ordinary words."""
GOLD = [
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


def shapes(start: str, end: str) -> dict[str, str]:
    """Texts before the gold: reasoning, and what makes it hard to see where it ends."""
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
        "unseen after the end": f"{opening}{end}\ufeff\u200b",
        "twice": f"{opening}{end}\n\n{opening}{end}",
    }


FLAT = ("plain", "end doubled", "end twice doubled", "unseen after the end", "twice")
"""Those without a start in reasoning."""
NESTED = ("nested", "nested twice", "two in one", "doubled", "end in code", "end in an open fence")
"""Those whose last end alone ends the reasoning."""
LEAKED = [
    "", "\ufeff", "\u200b", "\n \u200b\n", "</s>", "<s> ", "<bos>", "assistant\n", "Assistant: ",
    "**Assistant:**\n", "### Response:\n", "<|im_start|>assistant\n", "<|assistant|>",
    "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "<start_of_turn>model\n",
    "<｜Assistant｜>", "<|endoftext|>\ufeff", "[INST] [/INST]",
]  # fmt: skip


def wrong(texts, how, gold, prefilled=None):
    """The texts of which anything but the gold is the answer."""
    return {
        text: separated.text
        for text in texts
        if (separated := separate_reasoning(Response("ok", text), how, prefilled)).text != gold
        or separated.status != "ok"
        or "Maybe" not in (separated.reasoning or "")
    }


EACH = {PAIRS.get(parser, THINK): parser for parser in reversed(list(FACTS["parsers"]))}.values()
"""A parser for each pair of tags."""


def ways(parser: str) -> list[dict | None]:
    """How a model may be declared, or not."""
    return [{**ANY, "parser": parser}, {**ANY, "tags": [*PAIRS.get(parser, THINK)]}, ANY, None]


def of(parser: str) -> dict[str, str]:
    """What may stand before the gold in the words of a parser's models."""
    texts = shapes(*PAIRS.get(parser, THINK))
    return {name: texts[name] for name in FLAT} if parser in CHANNELS else texts


@pytest.mark.quick(20)
@pytest.mark.parametrize("gold", GOLD)
@pytest.mark.parametrize("parser", EACH)
def test_gold_behind_a_hostile_reasoning_is_the_answer(parser, gold):
    blanks = ["\n", "\n\n"] if gold.startswith("```") else ["", "\n"]  # a fence begins a line
    leaks = LEAKED if gold == GOLD[0] else ["", "\ufeff", "assistant\n"]
    texts = [
        f"{leaked}{before}{blank}{gold}"
        for leaked, before, blank in product(leaks, of(parser).values(), blanks)
    ]
    named, tags, *open_to_all = ways(parser)
    for how in [named, *([] if parser in CHANNELS else [tags]), *open_to_all]:
        assert wrong(texts, how, gold) == {}


@pytest.mark.parametrize("parser", [name for name in EACH if name not in (*CHANNELS, *STRINGS)])
def test_gold_behind_reasoning_that_the_prompt_began_is_the_answer(parser):
    start, _ = PAIRS.get(parser, THINK)
    texts = {
        name: f"{before.removeprefix(start)}\n{GOLD[0]}" for name, before in of(parser).items()
    }
    assert wrong(texts.values(), ways(parser)[0], GOLD[0], prefilled=True) == {}
    # Where the prompt is not known, these look like answers with reasoning, or code, in them.
    del texts["start mentioned"], texts["end in an open fence"]
    for how in ways(parser):
        assert wrong(texts.values(), how, GOLD[0]) == {}


@pytest.mark.parametrize("parser", EACH)
def test_a_hostile_reasoning_that_the_limit_cut_is_no_answer(parser):
    start, end = PAIRS.get(parser, THINK)
    for name, before in of(parser).items():
        stop = before.rindex(end) if name in NESTED else before.index(end)
        for place in range(len(start), stop, 5):
            for how in ways(parser)[: 1 if parser in STRINGS else None]:
                separated = separate_reasoning(Response("length", before[:place]), how, None)
                assert (separated.status, separated.text) == ("unfinished", ""), (
                    name,
                    before[:place],
                    how,
                )


def mentions(start: str, end: str) -> list[str]:
    """Answers that name the tags and are no reasoning."""
    return [
        f"Open with `{start}`, close with `{end}`.",
        f"So:\n\n```\n{start}x{end}\n```\nThat is it.",
        f"Write {start} before you think.",
        f"Never write {end} by itself.",
    ]


@pytest.mark.parametrize("parser", [name for name in EACH if name not in CHANNELS])
def test_an_answer_behind_reasoning_that_mentions_tags_stays_whole(parser):
    start, end = PAIRS.get(parser, THINK)
    for how, answer in product(ways(parser), mentions(start, end)):
        assert wrong([f"{start}{OTHER}{end}\n{answer}"], how, answer) == {}


@pytest.mark.parametrize("parser", EACH)
def test_an_answer_without_reasoning_that_mentions_tags_stays_whole(parser):
    start, end = PAIRS.get(parser, THINK)
    *others, lone_end = mentions(start, end)
    for answer in [*others, f"Open with {start} and close with {end}."]:
        assert separate_reasoning(Response("ok", answer), None, None) == Response("ok", answer)
    if parser not in CHANNELS:
        separated = separate_reasoning(Response("ok", lone_end), {**ANY, "parser": parser}, False)
        assert separated == Response("ok", lone_end)


@pytest.mark.parametrize("how", [{**ANY, "parser": "deepseek_r1"}, ANY, None])
def test_the_rest_of_reasoning_that_the_server_cut_off_too_early_is_no_answer(how):
    # A server's parser splits at the first end.
    nested = Response("ok", f"{OTHER}</think>4", reasoning="a <think> b")
    assert separate_reasoning(nested, how, None).text == "4"
    doubled = Response("ok", "\n</think>\n\n4", reasoning="a")
    assert separate_reasoning(doubled, how, None).text == "4"


def test_a_pair_of_tags_in_the_midst_of_an_answer_is_told():
    assert holds_pair("Well. <think>a</think>4")
    assert not holds_pair("Use `<think>a</think>`, or </think> after <think>.")
    assert not holds_pair("4")


def test_the_log_says_how_many_answers_hold_a_pair_of_tags(part):
    asked = [replace(item, tail="\nSay <think>a</think>4") for item in items()]
    said = {record["response"] for record in part.run(asked)}
    assert all("<think>a</think>4" in text for text in said)
    assert "10 of 10 responses of model echo contain a pair of tags" in part.log.read_text()
