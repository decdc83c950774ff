"""Judges' replies in the styles of chat models: every benchmark reads them right or not at all."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from steadfast.benchmarks.cfbench.replies import strict_verdicts as read_checklist
from steadfast.benchmarks.complexbench.replies import strict_verdict
from steadfast.benchmarks.followbench.replies import strict_verdicts as read_list
from steadfast.contract.simulated import CHATTER, UNSIGNED
from steps import steps

STYLES = yaml.safe_load(Path(__file__).with_name("reply_styles.yaml").read_text("utf-8"))
BENCHMARKS = ("followbench", "cfbench", "complexbench")
RESPONSE = "The sea is calm.\nThe harbour sleeps."
TEXTS = ["标题只有六个字。", "全文没有出现“春”字", "语气平和，像写给朋友的信"]
REASONS = {
    "en": ["the tone is calm", "the second paragraph has four lines", "the words are used"],
    "zh": ["全文语气平和", "第二段共四句", "用了列出的词"],
}
VERDICTS = ([1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1])
SURROUNDINGS = {
    "en": [("", ""), ("I compared the versions.\n\n", "\n\nLet me know if you would like more."),
           ("## Evaluation\n\n", "\n\nThat is my final assessment.")],
    "zh": [("", ""), ("好的，以下是评估结果：\n\n", "\n\n如有需要，可以继续补充说明。"),
           ("## 评估\n\n", "\n\n以上是我的评估。")],
}  # fmt: skip
"""Beginnings and ends of replies."""
RETRACTIONS = {
    "en": ["Actually, the first one is wrong.", "However, the last one is met only in part.",
           "Wait, I have to correct the first.", "Strike that."],
    "zh": ["更正：第一条不对。", "不过最后一条只是部分做到。", "抱歉，第一条应重新判断。"],
}  # fmt: skip
FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})


def read(benchmark: str, reply: str, count: int = 3, response: str = RESPONSE) -> list[int] | None:
    if benchmark == "followbench":
        return read_list(reply, response, count)
    if benchmark == "cfbench":
        verdicts = read_checklist(TEXTS[:count], reply, response)
        return verdicts if isinstance(verdicts, list) else None
    verdict = strict_verdict(reply, response)
    return None if verdict is None else [int(verdict)]


def composed(
    words: str, template: str, verdicts: Sequence[int], about: Sequence[str], rotated: bool
) -> str:
    """A reply in a style, as the head of reply_styles.yaml says."""
    no, yes = words.rsplit("/", 1)
    order = [2, 0, 1] if rotated else range(len(verdicts))

    def row(form: str, index: int) -> str:
        return form.format(
            n=index + 1,
            cn="一二三"[index],
            circled="①②③"[index],
            ordinal=["first", "second", "third"][index],
            roman=["i", "ii", "iii"][index],
            letter="abc"[index],
            about=about[index],
            word=[no, yes][verdicts[index]],
        )

    head, *repeated = template.split("⟨")
    if not repeated:
        return row(template, 0)
    reply = head.format()
    for part in repeated:
        inner, _, tail = part.partition("⟩")
        form, marked, joint = inner.partition("¦")
        rows = [row(form, index) for index in order]
        reply += (joint if marked else "\n").join(rows) + tail.format()
    return reply


def styled_replies(benchmark: str, combinations: int) -> Iterator[tuple[list, str, list[int], str]]:
    """A style, its language, verdicts in so many combinations, and a reply in that style."""
    for language, styles in STYLES[benchmark].items():
        about = TEXTS if benchmark == "cfbench" else REASONS[language]
        for style in styles:
            words, template, *marks = style
            for verdicts in [[0], [1]] if benchmark == "complexbench" else VERDICTS[:combinations]:
                reply = composed(words, template, verdicts, about, "rotated" in marks)
                yield style, language, verdicts, reply


# The first two have each verdict on each constraint.
IN_COMBINATIONS = pytest.mark.parametrize(
    "combinations", [2, pytest.param(len(VERDICTS), marks=pytest.mark.wide)]
)


@IN_COMBINATIONS
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_clear_styles_are_read_in_any_surroundings(benchmark, combinations):
    for style, language, verdicts, reply in styled_replies(benchmark, combinations):
        for before, behind in SURROUNDINGS[language]:
            expected = (None, verdicts) if "unread" in style else (verdicts,)
            assert read(benchmark, f"{before}{reply}{behind}", len(verdicts)) in expected, reply


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_unclear_styles_are_not_read(benchmark):
    texts = {f"{{t{number}}}": text for number, text in enumerate(TEXTS, start=1)}
    for reply in STYLES["unclear"][benchmark]:
        for mark, text in texts.items():
            reply = reply.replace(mark, text)
        assert read(benchmark, reply) is None, reply


@IN_COMBINATIONS
@pytest.mark.parametrize(
    "benchmark", ["followbench", *(pytest.param(n, marks=pytest.mark.wide) for n in BENCHMARKS[1:])]
)
def test_retracted_verdicts_are_not_read(benchmark, combinations):
    for _, language, verdicts, reply in styled_replies(benchmark, combinations):
        for end in RETRACTIONS[language]:
            assert read(benchmark, f"{reply}\n\n{end}", len(verdicts)) is None, reply


@IN_COMBINATIONS
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_reply_quoted_from_the_response_is_no_verdict(benchmark, combinations):
    for _, _, verdicts, reply in styled_replies(benchmark, combinations):
        quoted = f"The answer reads:\n{reply}\nI cannot judge it."
        assert read(benchmark, quoted, len(verdicts), response=reply) is None, reply


def test_verdicts_quoted_from_the_response_are_not_read():
    assert read_list("It ends so: ['YES', 'NO', 'YES'].", "A poem.\n['YES','NO','YES']", 3) is None
    assert read_list("1. YES\n2. NO", "A list:\n1. YES\nand\n2. NO\n.", 2) is None
    assert strict_verdict("Yes", "Do you come?\nYes\nWhen?") is None
    response = "春眠。\n标题只有六个字。: 1\n好。\n全文没有出现“春”字: 0\n好。"
    reply = "标题只有六个字。: 1\n全文没有出现“春”字: 0"
    assert read("cfbench", reply, 2, response=response) is None


SPELLINGS = {
    "curly quotes": lambda text: text.replace("'", "”"),
    "lower case": str.lower,
    "full width": lambda text: text.translate(FULL_WIDTH),
    "non-breaking blanks": lambda text: text.replace(" ", "\u00a0"),
    "no blanks": lambda text: text.replace(" ", ""),
    "a last comma": lambda text: text.replace("]", ",]"),
    "several lines": lambda text: text.replace("[", "[\n  ").replace(", ", ",\n  "),
    "code block": "```python\n{}\n```".format,
    "a box": "\\boxed{{{}}}".format,
    "a heading": "### Verdict\n{}".format,
    "a quotation": "> {}".format,
    "twice the same": "{0}\nSo the list is:\n{0}".format,
}
"""Spellings of one list of verdicts."""


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_the_list_are_read(spelling):
    assert read_list(spelling("['YES', 'NO', 'YES']"), RESPONSE, 3) == [1, 0, 1]


def test_styles_of_one_constraint_are_read():
    for reply in (
        "- constraint 1: YES\n3) ['YES']\nI hope that this helps.",
        '{"constraint": 1, "verdict": "YES"}',
        "**Verdicts:** YES",
        "The constraint is satisfied.",
    ):
        assert read_list(reply, RESPONSE, 1) == [1], reply
    assert read_list('{"verdict": "NO", "confidence": "1"}', RESPONSE, 1) is None
    assert read_list("['YES', 'NO'] for the reasons above", RESPONSE, 2) == [1, 0]
    for lead in ("I looked for violations.", "Correct.\n"):
        assert read_list(f"{lead}\n1: YES\n2: NO", RESPONSE, 2) == [1, 0]
    assert read_list("I checked both.\n\nYES\n\nNO", RESPONSE, 2) == [1, 0]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("reply", ["{}", "{}, satisfied", "satisfied, {}", "['{}', 'satisfied']"])
def test_dotless_and_dotted_i_do_not_change_the_verdicts(reply, benchmark):
    for count in (1, 2):
        plain = read(benchmark, reply.format("satisfied"), count)
        for word in ("satısfied", "SATİSFİED"):
            assert read(benchmark, reply.format(word), count) == plain


def test_numbered_verdicts_are_read_in_any_order_if_complete():
    assert read_list("3: YES, 1: NO, 2: YES", RESPONSE, 3) == [0, 1, 1]
    assert read_list('{"2": "NO", "1": "YES", "3": "YES"}', RESPONSE, 3) == [1, 0, 1]
    twice = "1. the tone: YES\n2. the length: NO\n\nIn short: 1: YES, 2: {}"
    assert read_list(twice.format("NO"), RESPONSE, 2) == [1, 0]
    assert read_list(twice.format("YES"), RESPONSE, 2) is None
    assert read_list("3: YES, 1: NO", RESPONSE, 3) is None
    assert read_list("3: YES, 1: NO, 4: YES", RESPONSE, 3) is None


def test_damaged_reply_is_read_right_or_not_at_all():
    rng = random.Random(1)
    # Without words such as "not met", since a deletion may turn it into "met".
    styles = [style for style in STYLES["followbench"]["en"] if style[0] in ("NO/YES", "No/Yes")]
    count = 0
    for _ in range(2000):
        verdicts = [rng.randint(0, 1) for _ in TEXTS]
        words, template, *marks = rng.choice(styles)
        reply = composed(words, template, verdicts, REASONS["en"], "rotated" in marks)
        for _ in range(rng.choice([0, 1, 2])):  # deletions and insertions
            start = rng.randrange(len(reply) + 1)
            insertion = rng.choice(["", "\n", " ", "*", "|", "。", "So:", "maybe", "'", "partly"])
            reply = reply[:start] + insertion + reply[start + rng.randint(0, 2) :]
        result = read_list(reply, RESPONSE, 3)
        assert result in (None, verdicts), reply
        count += result is not None
    assert count > 800


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "piece",
    ["['YES', ", "[", " ", "1. ", "YES, ", "| 1 ", "\\boxed{", '{"a":', "是", "**", "\t1\n",
     ": 1\n", "[1]\n", "1: YES, ", "the first ", "Constraint 1\n", "{}"],
)  # fmt: skip
def test_steps_grow_linearly_with_the_reply(piece, cpu_limit):
    def read_all(size: int) -> None:
        for benchmark in BENCHMARKS:
            read(benchmark, piece * size)

    read_all(10)  # compiles the patterns
    assert steps(read_all, 4_000) <= 2.2 * steps(read_all, 2_000)
    read_all(20_000)


ARGUMENTS = (
    'It says "calm", but not “harbour”.',
    "标题用了＂春＂字，应写成\\text{a}。",
    "1) the title: yes\n2) no word: no\n- **split**: $x$ ```",
    "Verdict: YES. Partly so, however.",
    '{"verdict": 1}',
)
"""What may stand in the reasons of a reply that is held to JSON."""


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("reasons", ARGUMENTS)
def test_json_replies_are_read_whatever_their_reasons(reasons, indent):
    def reply(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    numbered = {"1": "YES", "2": "NO", "3": "YES"}
    assert read_list(reply({"reasons": reasons, "verdicts": numbered}), RESPONSE, 3) == [1, 0, 1]
    assert read_list(reply({"reasons": reasons, "verdicts": {"1": "NO"}}), RESPONSE, 1) == [0]
    texts = [f"{text} {reasons}" for text in TEXTS * 4]  # from the tenth on, numbers of two digits
    checked = {
        str(number): {"checkpoint": text, "verdict": verdict}
        for number, (text, verdict) in enumerate(zip(texts, [1, 0, 1] * 4, strict=True), start=1)
    }
    assert read_checklist(texts, reply(checked), RESPONSE) == [1, 0, 1] * 4
    for word in ("no", "否"):
        assert strict_verdict(reply({"analysis": reasons, "answer": word}), RESPONSE) is False


def test_simulated_judge_without_verdicts_is_not_read():
    for reply in (*CHATTER, UNSIGNED):
        for count in (1, 3):
            assert [read(benchmark, reply, count) for benchmark in BENCHMARKS] == [None] * 3
