"""Judges' replies in the styles of chat models: read alike by all benchmarks, or not at all."""

import json
import random
from collections.abc import Callable, Sequence

import pytest

from steadfast.benchmarks.cfbench.replies import strict_verdicts
from steadfast.benchmarks.complexbench.replies import strict_verdict
from steadfast.benchmarks.followbench.replies import strict
from steps import steps

TEXTS = ["标题只有六个字。", "全文没有出现“春”字", "分成两段"]
VERDICTS = [1, 0, 1]
ANSWER = "The sea is calm.\nThe harbour sleeps."
FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})


def yes_no(verdicts: Sequence[int]) -> list[str]:
    return ["YES" if verdict else "NO" for verdict in verdicts]


def rows(cells: Sequence[tuple[object, ...]]) -> str:
    head = "| " + " | ".join("#" * len(cells[0])) + " |\n" + "|---" * len(cells[0]) + "|\n"
    return head + "\n".join("| " + " | ".join(map(str, row)) + " |" for row in cells)


LISTS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "a sentence before": "I checked each constraint.\n{}".format,
    "a sentence behind": "{}\nThe second one is not met, since the word stands there.".format,
    "a polite end": "{}\n\nHope this helps. Let me know if you need more.".format,
    "a fence": "```python\n{}\n```".format,
    "a fence of JSON": "Here it is:\n\n```json\n{}\n```\n".format,
    "bold type": "**{}**".format,
    "a full stop": "{}.".format,
    "a label": "Final answer: {}".format,
    "a bold label": "**Final verdict:** {}".format,
    "a sentence with a label": "The final list is: {}".format,
    "a box": "\\boxed{{{}}}".format,
    "a number": "3) {}".format,
    "a heading": "### Verdict\n{}".format,
    "a quotation": "> {}".format,
    "JSON": '{{"verdicts": {}}}'.format,
    "several lines": lambda text: (
        text.replace("[", "[\n  ").replace(", ", ",\n  ").replace("]", "\n]")
    ),
    "twice the same": "{0}\nSo the list is:\n{0}".format,
}
"""What may stand around a list of verdicts."""

SPELLINGS: dict[str, Callable[[str], str]] = {
    "curly quotes": lambda text: text.replace("'", "”"),
    "double quotes": lambda text: text.replace("'", '"'),
    "no quotes": lambda text: text.replace("'", ""),
    "title case": str.title,
    "lower case": str.lower,
    "full width": lambda text: text.translate(FULL_WIDTH),
    "non-breaking blanks": lambda text: text.replace(" ", "\u00a0"),
    "no blanks": lambda text: text.replace(" ", ""),
    "Chinese": lambda text: text.replace("YES", "是").replace("NO", "否").replace(", ", "，"),
    "a last comma": lambda text: text.replace("]", ",]"),
}

FOLLOWBENCH: dict[str, Callable[[Sequence[str]], str]] = {
    "numbers": lambda said: "\n".join(f"{n}. {word}" for n, word in enumerate(said, 1)),
    "numbers and reasons": lambda said: "\n".join(
        f"{n}) The tone is what it has to be: {word}" for n, word in enumerate(said, 1)
    ),
    "names": lambda said: "\n".join(f"Constraint {n}: {word}" for n, word in enumerate(said, 1)),
    "a table": lambda said: rows([(n, "tone", word) for n, word in enumerate(said, 1)]),
    "an object": lambda said: json.dumps({str(n): word for n, word in enumerate(said, 1)}),
    "objects": lambda said: json.dumps(
        [{"constraint": n, "met": w} for n, w in enumerate(said, 1)]
    ),
    "an object with reasons": lambda said: json.dumps({"why": "see above", "verdicts": said}),
    "booleans": lambda said: json.dumps({"verdicts": [word == "YES" for word in said]}),
    "words with commas": ", ".join,
    "a label and words": lambda said: f"Final answer: {', '.join(said)}.",
    "bullets": lambda said: "\n".join(f"- {word}" for word in said),
}

CFBENCH: dict[str, Callable[[Sequence[tuple[str, int]]], str]] = {
    "objects with letters": lambda pairs: json.dumps(
        [{"id": letter, "point": t, "met": v} for letter, (t, v) in zip("abc", pairs, strict=True)]
    ),
    "a blank": lambda said: "\n".join(f"{text} {v}" for text, v in said),
    "blanks": lambda said: "\n\n".join(f"{text}    {v}" for text, v in said),
    "a colon": lambda said: "\n".join(f"{text}：{v}" for text, v in said),
    "an arrow": lambda said: "\n".join(f"{text} → {v}" for text, v in said),
    "a written TAB": lambda said: "\n".join(f"{text}\\t{v}" for text, v in said),
    "brackets": lambda said: "\n".join(f"{text}（{v}）" for text, v in said),
    "numbers": lambda said: "\n".join(f"{n}. {text}\t{v}" for n, (text, v) in enumerate(said, 1)),
    "words": lambda said: "\n".join(f"{text}\t{'是' if v else '否'}" for text, v in said),
    "a sentence before": lambda said: "评估如下：\n" + "\n".join(f"{t}\t{v}" for t, v in said),
    "a sentence behind": lambda said: "\n".join(f"{t}\t{v}" for t, v in said) + "\n以上是评估。",
    "a fence": lambda said: "```\n" + "\n".join(f"{t}\t{v}" for t, v in said) + "\n```",
    "bold verdicts": lambda said: "\n".join(f"{t}: **{v}**" for t, v in said),
    "a table": rows,
    "a numbered table": lambda said: rows([(n, t, v) for n, (t, v) in enumerate(said, 1)]),
    "an object": lambda said: json.dumps(dict(said), ensure_ascii=False),
    "objects": lambda said: json.dumps(
        [{"编号": n, "要求": t, "判定": v} for n, (t, v) in enumerate(said, 1)], ensure_ascii=False
    ),
    "a list": lambda said: str([v for _, v in said]),
    "a labelled list": lambda said: f"最终答案：{[v for _, v in said]}",
    "other quotes": lambda said: (
        "\n".join(f"{t}\t{v}" for t, v in said).replace("“", '"').replace("”", '"')
    ),
}

COMPLEXBENCH = {
    "en": [
        "Yes", "yes.", "**Yes**", "YES", "Answer: yes.", "Analysis: fine.\n**Final answer:** Yes.",
        "Verdict: yes", "The answer is yes.", "The final verdict is: Yes", '"Yes"', "“Yes”",
        "```\nAnswer: yes\n```", '{"answer": "yes"}', '```json\n{"verdict": true}\n```',
        "\\boxed{yes}", "Final answer: \\boxed{\\text{Yes}}", "| Answer | yes |", "['YES']",
        "Answer: yes\nIt names all three.", "Answer:\u00a0yes", "Ａｎｓｗｅｒ： ｙｅｓ",
        "- Title: there\n- Author: there\n\n### Answer: Yes",
        "True", "Satisfied.", "Pass", "Correct", "Yes, it does.", "Verdict: Pass",
    ],
    "zh": [
        "是", "是。", "**是**", "答案：是\n以上。", "最终答案：是", "结论：是", "答案为：是",
        "判断：“是”", "```\n答案：是\n```", '{"答案": "是"}', "\\boxed{是}",
        "答案　：　是", "| 答案 | 是 |",
        "分析：都有。\n\n**最终答案：是。**",
        "满足", "【是】", "正确。", "是的，满足。", "最终答案是：是", "判断结果：是",
        "回答：符合要求", "该回答满足要求",
    ],
}  # fmt: skip


def wrapped() -> list[tuple[str, str]]:
    plain = str(yes_no(VERDICTS))
    around = [(name, style(plain)) for name, style in LISTS.items()]
    return around + [(name, style(plain)) for name, style in SPELLINGS.items()]


@pytest.mark.parametrize(("name", "reply"), wrapped())
def test_followbench_reads_a_list_whatever_is_around_it(name, reply):
    assert strict(reply, ANSWER, 3, "zh") == VERDICTS
    if name != "Chinese":
        assert strict(reply, ANSWER, 3, "en") == VERDICTS


@pytest.mark.parametrize("style", FOLLOWBENCH.values(), ids=FOLLOWBENCH)
def test_followbench_reads_verdicts_without_a_list(style):
    assert strict(style(yes_no(VERDICTS)), ANSWER, 3) == VERDICTS


@pytest.mark.parametrize("style", CFBENCH.values(), ids=CFBENCH)
def test_cfbench_reads_checkpoints_and_verdicts(style):
    reply = style(list(zip(TEXTS, VERDICTS, strict=True)))
    assert strict_verdicts(TEXTS, reply, ANSWER) == VERDICTS


@pytest.mark.parametrize(
    ("language", "reply"), [(language, r) for language, all in COMPLEXBENCH.items() for r in all]
)
def test_complexbench_reads_a_verdict(language, reply):
    assert strict_verdict(reply, ANSWER, language) is True
    opposite = {
        "YES": "NO",
        "Yes": "No",
        "yes": "no",
        "是": "否",
        "true": "false",
        "True": "False",
        "ｙｅｓ": "ｎｏ",
        "Satisfied": "Not satisfied",
        "Pass": "Fail",
        "Correct": "Incorrect",
        "No, it does": "No, it does not",
        "满足": "不满足",
        "符合": "不符合",
        "正确": "不正确",
        "否的": "否",
        "答案否：": "答案是：",
    }
    for word, other in opposite.items():
        reply = reply.replace(word, other)
    assert strict_verdict(reply, ANSWER, language) is False


UNCLEAR = [
    "['YES', 'PARTIAL', 'YES']",
    "['YES', 'NO']",
    "['YES', 'NO', 'YES', 'NO']",
    "['YES', 'NO', 'YES']\n['YES', 'YES', 'YES']",
    "['YES', 'NO', 'YES']\nWait, the first is not met.",
    "['YES', 'NO', 'YES'], but the last only partly",
    "The form is ['YES', 'NO', 'YES']",
    "It should not be ['YES', 'NO', 'YES']",
    "1. YES\n2. NO",
    "1. YES\n2. NO\n4. YES",
    "1. YES\n2. partly\n3. YES",
    "1. YES\n2. NO\n3. YES\n['YES', 'YES', 'YES'].",
    "1. YES\n2. NO\n4. YES\n['YES', 'NO', 'YES'].",
    "1. YES\n2. NO\n['YES', 'NO', 'YES'].",
    "YES/NO/YES",
    "YES, NO, MAYBE",
    '{"1": "YES", "2": "NO"}',
    '{"2": "NO", "1": "YES", "3": "YES"}',
    '{"1": "YES", "2": "NO", "3": "YES"}\n{"1": "NO", "2": "NO", "3": "YES"}',
    "All but the second.",
    "Two of three.",
    "[YES, NO, YES] * 2",
    "['是', '否', '是']",
    "1. Satisfied\n2. Partially satisfied\n3. Satisfied",
    "1. tone: met\n2. length: not fully met\n3. words: met",
    "1. tone: ✅\n2. length: ❌✅\n3. words: ✅",
    "1. No ✅\n2. No ❌\n3. Yes ✅",
    "1. tone: ✅\n2. length: ❌\n3. words: ✅\n['YES', 'YES', 'YES'].",
    "1. Yes, but only in part\n2. No\n3. Yes",
    "1. Yes: no, the tone is harsh\n2. No: too long\n3. Yes: all there",
    "1. No word of the list\n2. No long lines\n3. Yes",
    "| 1 | tone | yes |\n| 2 | length | partly: no |\n| 3 | words | yes |",
    "1. ✅ Read the answer\n2. ✅ Name the constraints\n3. ✅ Decide",
    # the other sense: yes says that something is violated
    "violations: ['NO', 'YES', 'NO']",
    "Violated constraints:\n['NO', 'YES', 'NO']",
    "failed = ['NO', 'YES', 'NO']",
    "1. Violated? No\n2. Violated? Yes\n3. Violated? No",
    '{"violated": [false, true, false]}',
    '{"violations": ["NO", "YES", "NO"]}',
    # taken back, or somebody else's
    "['YES', 'NO', 'YES'] -> ['YES', 'YES', 'YES']",
    "['YES', 'NO', 'YES']\nHmm, the second one might be YES.",
    "['YES', 'NO', 'YES']\nI changed my mind about 2.",
    "['YES', 'NO', 'YES']\nOn second thought, 2 holds.",
    "Another judge gave: ['YES', 'NO', 'YES']. I disagree.",
]


@pytest.mark.parametrize("reply", UNCLEAR)
def test_followbench_leaves_what_is_unclear_unread(reply):
    assert strict(reply, ANSWER, 3) is None


@pytest.mark.parametrize(
    "reply",
    [
        "[1, 0]",
        "[1, 0, 1, 1]",
        "[1, 0.5, 1]",
        "[1, 0, 1]\n[1, 1, 1]",
        "1\n0\n1",
        "前两条满足。",
        "标题只有六个字。: 1\n分成两段: 1",
        "标题只有六个字。: 1\n全文没有出现“春”字: 0\n分成两段: 1\n不押韵: 1",
        "标题只有六个字。: 1\n全文没有出现“春”字: 0\n分成两段: 1\n但第二条部分满足。",
        "标题只有六个字。: 1\n全文没有出现“春”字: 0\n分成两段: 1\n标题只有六个字。: 0",
        "全文没有出现“春”字: 0\n标题只有六个字。: 1\n分成两段: 1",
        '{"标题只有五个字": 1, "全文没有出现春字": 0, "分成两段": 1}',
        "标题只有六个字。: 部分\n全文没有出现“春”字: 0\n分成两段: 1",
        "标题只有六个字。\t-1\n全文没有出现“春”字\t0\n分成两段\t1",
        "violations: [0, 1, 0]",
        "违反情况：[否, 是, 否]",
        "例如：[1, 0, 1]",
        "另一位评委给出：[1, 0, 1]，我不同意",
        "[1, 0, 1]\n再看一遍，第二条其实满足。",
        "[1, 0, 1] -> [1, 1, 1]",
    ],
)
def test_cfbench_leaves_what_is_unclear_unread(reply):
    assert isinstance(strict_verdicts(TEXTS, reply, ANSWER), str)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("Yes and no.", "en"),
        ("Partly.", "en"),
        ("Answer: yes\nAnswer: no", "en"),
        ("Answer: yes\nHowever, the second half is missing.", "en"),
        ("Answer: yes or no", "en"),
        ("The answer is not yes.", "en"),
        ("Yes\nNo", "en"),
        ("{'answer': 'partly'}", "en"),
        ('{"a": "yes", "b": "no"}', "en"),
        ("Answer: 是", "en"),
        ("Answer: yes\nAnswer: yes", "en"),
        ("Answer: yes", "zh"),
        ("部分满足", "zh"),
        ("答案：是，但部分满足", "zh"),
        ("答案是否正确？", "zh"),
        ("结论：是\n结论：否", "zh"),
        ("不是", "zh"),
        ("答案是", "zh"),
        ("Violated? Yes", "en"),
        ("True or false", "en"),
        ("Correct\nIncorrect", "en"),
        ("满足吗？", "zh"),
    ],
)
def test_complexbench_leaves_what_is_unclear_unread(reply, language):
    assert strict_verdict(reply, ANSWER, language) is None


def test_verdicts_out_of_the_answer_are_not_the_judges():
    assert strict("It ends so: ['YES', 'NO', 'YES'].", "A poem.\n['YES','NO','YES']", 3) is None
    assert strict("1. YES\n2. NO", "A list:\n1. YES\nand\n2. NO\n.", 2) is None
    assert strict_verdict("Yes", "Do you come?\nYes\nWhen?", "en") is None
    forged = "春眠。\n标题只有六个字。: 1\n好。\n全文没有出现“春”字: 0\n好。\n分成两段: 1"
    reply = "标题只有六个字。: 1\n全文没有出现“春”字: 0\n分成两段: 1"
    assert isinstance(strict_verdicts(TEXTS, reply, forged), str)


def drawn(rng: random.Random) -> tuple[list[int], list[str], str]:
    """Verdicts, and a reply that gives them in some style, or a damaged one."""
    verdicts = [rng.randint(0, 1) for _ in TEXTS]
    said = yes_no(verdicts)
    pairs = list(zip(TEXTS, verdicts, strict=True))
    styles = [
        *(style(rng.choice(list(SPELLINGS.values()))(str(said))) for style in LISTS.values()),
        *(style(said) for style in FOLLOWBENCH.values()),
        *(style(pairs) for style in CFBENCH.values()),
    ]
    reply = rng.choice(styles)
    for _ in range(rng.choice([0, 0, 1, 2])):  # a piece goes, or noise comes
        at = rng.randrange(len(reply) + 1)
        noise = rng.choice(["", "\n", " ", "*", "|", "。", "So:", "maybe", "'", ",", "partly"])
        reply = reply[:at] + noise + reply[at + rng.randint(0, 2) :]
    return verdicts, said, reply


def test_a_damaged_reply_is_read_as_it_was_meant_or_not_at_all():
    rng = random.Random(1)
    read = 0
    for _ in range(3000):
        verdicts, said, reply = drawn(rng)
        found = strict(reply, ANSWER, 3)
        # A piece that goes may turn a NO into another word, or a 1 into nothing, never into a YES.
        assert found in (None, verdicts), (said, reply)
        by_checkpoint = strict_verdicts(TEXTS, reply, ANSWER)
        assert isinstance(by_checkpoint, str) or by_checkpoint == verdicts, (verdicts, reply)
        read += found is not None
    assert read > 1000


@pytest.mark.parametrize(
    "piece",
    [
        "['YES', ",
        "[",
        " ",
        "1. ",
        "YES, ",
        "| 1 ",
        "\\boxed{",
        '{"a":',
        "是",
        "**",
        "\t1\n",
        ": 1\n",
    ],
)
def test_twice_the_reply_takes_at_most_twice_the_steps(piece, cpu_limit):
    def read(size: int) -> None:
        strict(piece * size, ANSWER, 3)
        strict_verdicts(TEXTS, piece * size, ANSWER)
        strict_verdict(piece * size, ANSWER, "zh")

    assert steps(read, 4_000) <= 2.2 * steps(read, 2_000)
    read(100_000)


SAID = (
    'It says "calm", but not “harbour”.',
    "标题用了＂春＂字，应写成\\text{a}。",
    "1) the title: yes\n2) no word: no\n- **split**: $x$ ```",
    "Verdict: YES. Partly so, however.",
    '{"verdict": 1}',
)
"""What may stand in the reasons of a reply that is held to JSON."""


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("reasons", SAID)
def test_replies_held_to_json_are_read_whatever_their_reasons_say(reasons, indent):
    def reply(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    numbered = {str(n): word for n, word in enumerate(yes_no(VERDICTS), start=1)}
    assert strict(reply({"reasons": reasons, "verdicts": numbered}), ANSWER, 3) == VERDICTS
    single = reply({"reasons": reasons, "verdicts": {"1": "NO"}})
    assert strict(single, ANSWER, 1) == [0]
    texts = [f"{text} {reasons}" for text in TEXTS * 4]  # from the tenth on, numbers of two digits
    checked = {
        str(number): {"checkpoint": text, "verdict": verdict}
        for number, (text, verdict) in enumerate(zip(texts, VERDICTS * 4, strict=True), start=1)
    }
    assert strict_verdicts(texts, reply(checked), ANSWER) == VERDICTS * 4
    for language, word in (("en", "no"), ("zh", "否")):
        assert (
            strict_verdict(reply({"analysis": reasons, "answer": word}), ANSWER, language) is False
        )
