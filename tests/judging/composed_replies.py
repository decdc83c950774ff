"""Judges' replies composed as chat models write them, with verdicts that are known from that."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

ANSWER = "Spring is late this year.\nThe ice on the lake is thin, and the boats wait."
CHECKPOINTS = [
    "标题不超过八个字。",
    "全文没有出现“冬”字",
    "分成三段",
    "每段以问句结尾。",
    "语气平和，像写给朋友的信",
]
REASONS = {
    "en": [
        "the letter keeps a calm tone throughout",
        "the second paragraph has four sentences, which is what was asked",
        "no word of the list turns up",
        "the ending runs longer than the limit",
        "the answer names the lake and the boats",
    ],
    "zh": [
        "全文语气平和",
        "第二段共四句，与要求一致",
        "没有用到列出的词",
        "结尾超出了字数",
        "提到了湖和船",
    ],
}
OPENINGS = {
    "en": [
        "",
        "Let me go through this step by step.\n\n",
        "I compared each version with the one before it.\n\n",
        "## Evaluation\n\n",
        "Sure! Here is my assessment of the answer.\n\n",
        "**What was asked:** a tone, a length and a list of words.\n\n**Checking:**\n\n",
    ],
    "zh": [
        "",
        "下面逐条核对。\n\n",
        "好的，以下是评估结果：\n\n",
        "## 评估\n\n",
        "我把回答和要求逐一对照。\n\n",
    ],
}
CLOSINGS = {
    "en": [
        "",
        "\n",
        "\n\nLet me know if you would like more detail.",
        "\n\nThat is my final assessment.",
        "\n\nThis follows from the text of the answer alone.",
    ],
    "zh": ["", "\n", "\n\n以上是我的评估。", "\n\n如有需要，可以继续补充说明。"],
}
DOUBTS = {
    "en": [
        "\n\nActually, the first one is wrong.",
        "\n\nHowever, the last one is met only in part.",
        "\n\nWait, I have to correct the first.",
    ],
    "zh": ["\n\n更正：第一条不对。", "\n\n不过最后一条只是部分做到。"],
}
"""Ends that leave open what the verdicts are."""
LABELS = {
    "en": ["Final answer: ", "**Final verdict:** ", "The final list is: ", "Result: "],
    "zh": ["最终答案：", "**最终结论：** ", "结果为："],
}


class Composed(NamedTuple):
    """A reply, how it is written, what it says, and the language in which it was asked for."""

    style: str
    language: str
    reply: str
    verdicts: list[int]


@dataclass(frozen=True)
class Draw:
    """Verdicts, what they are about, in which words, and chance."""

    rng: random.Random
    language: str
    verdicts: Sequence[int]
    words: tuple[str, str]  # no and yes
    about: Sequence[str]

    def numbered(self, *forms: str, ticks: tuple[str, str] = ("", "")) -> str:
        """Lines in one of some forms with places n, about, word and tick."""
        form = self.rng.choice(forms)
        rows = enumerate(zip(self.about, self.verdicts, strict=True), 1)
        return "\n".join(
            form.format(n=n, about=text, word=self.words[v], tick=ticks[v]) for n, (text, v) in rows
        )

    def list(self, quotes: Sequence[str] = ("'", '"', "")) -> str:
        quote = self.rng.choice(quotes)
        return "[" + ", ".join(f"{quote}{self.words[v]}{quote}" for v in self.verdicts) + "]"

    def said(self, no: str, yes: str) -> "Draw":
        return Draw(self.rng, self.language, self.verdicts, (no, yes), self.about)

    def ticks(self) -> tuple[str, str]:
        return self.rng.choice([("❌", "✅"), ("✗", "✓"), ("✘", "✔️")])

    def table(self, rows: str) -> str:
        head = "| 编号 | 要求 | 结论 |" if self.language == "zh" else "| # | Part | Verdict |"
        return f"{head}\n|---|---|---|\n{rows}"

    def json(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=False, indent=self.rng.choice([None, 2]))


def satisfied(draw: Draw) -> str:
    pairs = {
        "en": [("Not satisfied", "Satisfied"), ("not met", "met")],
        "zh": [("不满足", "满足"), ("不符合", "符合")],
    }[draw.language]
    return draw.said(*draw.rng.choice(pairs)).numbered("{n}. {about}: {word}")


def pairs(draw: Draw) -> list[dict[str, object]]:
    rows = enumerate(draw.verdicts, 1)
    return [{"constraint": n, "verdict": draw.words[v]} for n, v in rows]


def fenced(text: str, kind: str = "") -> str:
    return f"```{kind}\n{text}\n```"


Layouts = Mapping[str, Callable[[Draw], str]]
FOLLOWBENCH: Layouts = {
    "a list": Draw.list,
    "reasons, then a list": lambda d: f"{d.numbered('{n}. {about}')}\n\n{d.list()}",
    "a list in a fence": lambda d: fenced(d.list(['"']), d.rng.choice(["", "python", "json"])),
    "a labelled list": lambda d: d.rng.choice(LABELS[d.language]) + d.list(),
    "a bold or boxed list": lambda d: d.rng.choice(["**{}**", "$\\boxed{{{}}}$"]).format(d.list()),
    "numbered verdicts": lambda d: d.numbered("{n}. {word}", "{n}) **{word}**", "{n}: {word}."),
    "reason, then verdict": lambda d: d.numbered(
        "{n}. {about}: {word}", "{n}. {about} — **{word}**", "{n}) {about} -> {word}"
    ),
    "verdict, then reason": lambda d: d.numbered(
        "{n}. {word}: {about}", "{n}. **{word}** — {about}", "{n}. {word} ({about})"
    ),
    "a table": lambda d: d.table(d.numbered("| {n} | {about} | {word} |")),
    "a JSON object": lambda d: d.json({"verdicts": [d.words[v] for v in d.verdicts]}),
    "JSON objects": lambda d: fenced(d.json(pairs(d)), "json"),
    "ticks": lambda d: d.numbered("{n}. {about}: {tick}", ticks=d.ticks()),
    "verdicts with ticks": lambda d: d.numbered("{n}. {word} {tick}", ticks=d.ticks()),
    "a table of ticks": lambda d: d.table(
        d.numbered(
            "| {n} | {about} | {tick} |", "| {n} | {about} | {word} {tick} |", ticks=d.ticks()
        )
    ),
    "satisfied or not": satisfied,
}
CFBENCH: Layouts = {
    "lines with TAB": lambda d: d.numbered("{about}\t{word}"),
    "lines with blanks": lambda d: d.numbered("{about} {word}", "{about}    {word}"),
    "lines with a colon": lambda d: d.numbered("{about}：{word}", "- {about}: **{word}**"),
    "numbered lines": lambda d: d.numbered("{n}. {about}\t{word}", "{n}、{about}：{word}"),
    "lines in a fence": lambda d: fenced(d.numbered("{about}\t{word}")),
    "words": lambda d: d.said("否", "是").numbered("{about}\t{word}", "{n}. {about}：{word}"),
    "a table": lambda d: d.table(d.numbered("| {n} | {about} | {word} |")),
    "a JSON object": lambda d: d.json(
        dict(zip(d.about, [int(v) for v in d.verdicts], strict=True))
    ),
    "a list": lambda d: d.rng.choice(["", "最终答案："]) + d.list([""]),
    "ticks": lambda d: d.numbered("{about}\t{tick}", "{n}. {about} {tick}", ticks=d.ticks()),
    "satisfied or not": lambda d: d.said("不满足", "满足").numbered(
        "{about}：{word}", "{n}. {about}\t{word}"
    ),
}
COMPLEXBENCH: Layouts = {
    "a word": lambda d: d.words[d.verdicts[0]] + d.rng.choice(["", ".", "。"]),
    "a labelled word": lambda d: d.rng.choice(
        ["答案：{}", "**答案：** {}", "结论：**{}**", "最终答案: {}"]
        if d.language == "zh"
        else ["Answer: {}", "**Answer:** {}", "Verdict: **{}**", "The answer is {}."]
    ).format(d.words[d.verdicts[0]]),
    "analysis, then a word": lambda d: (
        (
            f"分析：{d.about[0]}。\n答案："
            if d.language == "zh"
            else f"Analysis: {d.about[0]}.\nAnswer: "
        )
        + d.words[d.verdicts[0]]
    ),
    "a heading, then a word": lambda d: (
        ("### 答案\n" if d.language == "zh" else "### Answer\n") + d.words[d.verdicts[0]]
    ),
    "a bold or boxed word": lambda d: d.rng.choice(["**{}**", "\\boxed{{{}}}"]).format(
        d.words[d.verdicts[0]]
    ),
    "a JSON object": lambda d: fenced(
        d.json(
            {("分析" if d.language == "zh" else "analysis"): d.about[0]}
            | {("答案" if d.language == "zh" else "answer"): d.words[d.verdicts[0]]}
        ),
        "json",
    ),
    "word, then reason": lambda d: d.rng.choice(["{}, {}.", "{}. {}.", "{} — {}"]).format(
        d.words[d.verdicts[0]], d.about[0]
    ),
}


def composed(
    layouts: Layouts,
    number: int,
    *,
    most: int = 5,
    languages: Sequence[str] = ("en", "zh"),
    words: Mapping[str, Sequence[tuple[str, str]]],
    about: Sequence[str] | None = None,
    closings: Mapping[str, Sequence[str]] = CLOSINGS,
) -> Iterator[Composed]:
    """Yields so many replies, each style as often, of one verdict to ``most``."""
    for place in range(number):
        rng = random.Random(f"replies/{place}")
        style, language = list(layouts)[place % len(layouts)], rng.choice(languages)
        verdicts = [rng.randrange(2) for _ in range(rng.randint(min(2, most), most))]
        parts = about[: len(verdicts)] if about else rng.sample(REASONS[language], len(verdicts))
        draw = Draw(rng, language, verdicts, rng.choice(words[language]), parts)
        text = layouts[style](draw)
        reply = rng.choice(OPENINGS[language]) + text + rng.choice(closings[language])
        yield Composed(style, language, reply, verdicts)


ASKED = [("NO", "YES"), ("No", "Yes"), ("no", "yes")]
WORDS = {"en": ASKED, "zh": [*ASKED, ("否", "是")]}
OWN = {"en": [("No", "Yes"), ("no", "yes")], "zh": [("否", "是")]}
FIGURES = {"zh": [("0", "1")]}


def replies(benchmark: str, number: int, doubtful: bool = False) -> list[Composed]:
    """Returns so many replies to a benchmark's judge prompt, or ones that must stay unread."""
    ends = DOUBTS if doubtful else CLOSINGS
    if benchmark == "followbench":
        return list(composed(FOLLOWBENCH, number, words=WORDS, closings=ends))
    if benchmark == "cfbench":
        how = {"languages": ["zh"], "about": CHECKPOINTS}
        return list(composed(CFBENCH, number, words=FIGURES, closings=ends, **how))
    return list(composed(COMPLEXBENCH, number, most=1, words=OWN, closings=ends))
