"""A judge of the three judged benchmarks over HTTP, with fixed verdicts and faulty replies.

It recognizes prompts by the templates in resources/*/judge. Its verdicts follow from question and
response (``truth``), the form of its replies from ``manner``. Other prompts are answered by
``model``.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from servers import Fault, Server, error, running
from steadfast.base.resources import ROOT

SLOT = re.compile(r"\{\{(\w+)\}\}")
KEPT = re.compile(r"\[simulated: kept ([\d, ]*)\]\s*$")
KEPT_NOTHING = "[simulated: kept nothing]"
BOUNDARY = "answer-[0-9a-f]{8}"
MARKS = re.compile(r"\|\||【|评分对象")
HEADING = "【模型回复中评分问题的评测对象】"


@dataclass(frozen=True)
class JudgeQuery:
    """A judge prompt, parsed.

    Attributes:
        kind: constraints or rating (FollowBench), checkpoints (CFBench), question or segments
            (ComplexBench).
        language: of the template.
        slots: names and values of the template's slots.
        again: whether it is re-requested with a reminder.
        each: whether several segments are requested.
    """

    kind: str
    language: str
    slots: tuple[tuple[str, str], ...]
    again: bool
    each: bool = False

    def __getitem__(self, slot: str) -> str:
        return dict(self.slots)[slot]

    @property
    def answer(self) -> str:
        return self["answer"]

    @property
    def checkpoints(self) -> list[str]:
        return self["checkpoints"].split("\n\n")

    @property
    def count(self) -> int:
        """The number of verdicts requested."""
        return int(self["count"]) if self.kind in ("constraints", "checkpoints") else 1


@cache
def templates() -> list[tuple[str, str, re.Pattern]]:
    """Benchmark, name and pattern of each template of the project."""
    return [
        (path.parts[-3], path.stem, _pattern(path.read_text(encoding="utf-8")))
        for path in sorted(ROOT.glob("*/judge/*.txt"))
    ]


def _pattern(text: str) -> re.Pattern:
    prompt, _, reminder = text.partition("=== reminder ===\n")
    seen = set()
    parts = []
    for number, piece in enumerate(SLOT.split(prompt.rstrip("\n"))):
        if number % 2 == 0:
            parts.append(re.escape(piece))
        elif piece in seen:
            parts.append(f"(?P={piece})")
        else:
            seen.add(piece)
            inner = {"boundary": BOUNDARY, "count": r"\d+"}.get(piece, ".*?")
            parts.append(f"(?P<{piece}>{inner})")
    again = f"(?P<again>\\n+{re.escape(reminder.strip())})?"
    return re.compile("".join(parts) + again, re.DOTALL)


@cache
def read(prompt: str) -> JudgeQuery | None:
    """A judge prompt, parsed; None where a prompt is no judge's.

    Raises:
        AssertionError: the boundary does not follow from the response.
    """
    for benchmark, name, pattern in templates():
        if match := pattern.fullmatch(prompt):
            slots = match.groupdict()
            again = slots.pop("again") is not None
            digest = hashlib.sha256(slots["answer"].encode()).hexdigest()
            assert slots["boundary"] == f"answer-{digest[:8]}", prompt
            kind = _kind(benchmark, name)
            language = "en" if name.endswith("en") else "zh"
            return JudgeQuery(kind, language, tuple(slots.items()), again, "each" in name)
    return None


def _kind(benchmark: str, template: str) -> str:
    if benchmark == "followbench":
        return "rating" if template.startswith("rating") else "constraints"
    if benchmark == "cfbench":
        return "checkpoints"
    return "segments" if template.startswith("extract") else "question"


def truth(query: JudgeQuery) -> list[int]:
    """The judge's verdict, 1 or 0, on each constraint, checkpoint or question.

    They follow a simulated model's signature, and are pseudo-random on other responses.
    """
    if KEPT_NOTHING in query.answer:
        return [0] * query.count
    signature = KEPT.search(query.answer)
    if signature and query.kind in ("constraints", "checkpoints"):
        numbers = set(map(int, re.findall(r"\d+", signature[1])))
        return [int(number in numbers) for number in range(1, query.count + 1)]
    return [int(pseudo_random(query.slots, number) < 0.7) for number in range(query.count)]


def segment(query: JudgeQuery) -> str:
    """The segment that the judge extracts from the response: one or two lines, or none."""
    lines = [line for line in query.answer.splitlines() if line.strip() and not MARKS.search(line)]
    if not lines:
        return "None"
    return (
        "||".join(lines[:2]) if query.each else lines[int(pseudo_random(query.slots) * len(lines))]
    )


def pseudo_random(*values) -> float:
    """A pseudo-random number from 0 to 1 that follows from the values."""
    digest = hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4]) / 2**32


# --- replies ---------------------------------------------------------------------------------


def good(query: JudgeQuery) -> str:
    """The verdicts in the requested form."""
    return reply_with(query, truth(query))


def reply_with(query: JudgeQuery, verdicts: list[int], analysis: str | None = None) -> str:
    """Verdicts in the requested form; for segments a copy for each."""
    analysis = ANALYSIS[query.language] if analysis is None else analysis
    match query.kind:
        case "constraints":
            return f"{analysis}\n{['YES' if verdict else 'NO' for verdict in verdicts]}"
        case "rating":
            word = {"en": "Rating: ", "zh": "评分："}[query.language]
            return f"{analysis}\n{' '.join(f'{word}[[{9 if v else 3}]]' for v in verdicts)}"
        case "checkpoints":
            # Verdicts beyond the checkpoints are on the last one.
            texts = [*query.checkpoints, *query.checkpoints[-1:] * len(verdicts)]
            pairs = zip(texts, verdicts, strict=False)
            return "\n\n".join(f"{text}\t{verdict}" for text, verdict in pairs)
        case "question":
            return "\n".join([analysis, *(VERDICTS[query.language][v] for v in verdicts)])
        case "segments":
            labels = [f"评分对象：{segment(query)}"] * len(verdicts)
            return "\n".join(["【解释】", analysis, "", HEADING, *labels])


def formed(query: JudgeQuery, schema: dict) -> str:
    """The verdicts as JSON that follows a schema, with an analysis as each text."""
    verdicts = iter(truth(query))

    def filled(part: dict) -> object:
        match part:
            case {"properties": properties}:
                return {name: filled(inner) for name, inner in properties.items()}
            case {"enum": [only]}:
                return only
            case {"enum": words}:
                yes = next(verdicts)
                return next(word for word in words if (str(word).lower() in YES) == yes)
            case {"type": "string"}:
                return f'{ANALYSIS[query.language]}\n"No."'
        raise AssertionError(f"no schema of a reply: {part}")

    return json.dumps(filled(schema), ensure_ascii=False)


YES = ("1", "yes", "是")
ANALYSIS = {"en": "I went through the demands one by one.", "zh": "我逐条对照了要求。"}
VERDICTS = {"en": ("Answer: no", "Answer: yes"), "zh": ("答案：否", "答案：是")}
OTHER = {"en": "zh", "zh": "en"}


PROSE = {
    "en": "On the whole a fine answer that keeps to most of what was asked. Yes, well done.",
    "zh": "总的来说，这份回答不错，大部分要求都做到了，是一份好的回答。",
}


def prose(query: JudgeQuery) -> str:
    return PROSE[query.language]


def wrong_count(query: JudgeQuery) -> str:
    """One verdict too many, which contradicts the last."""
    return reply_with(query, [*truth(query), 1 - truth(query)[-1]])


def too_few(query: JudgeQuery) -> str:
    """One verdict too few."""
    return reply_with(query, truth(query)[:-1])


def other_language(query: JudgeQuery) -> str:
    """The verdicts in a language that no template has."""
    verdicts = truth(query)
    match query.kind:
        case "constraints":
            words = [("NON", "OUI")[verdict] for verdict in verdicts]
            return f"{ANALYSIS[OTHER[query.language]]}\n{words}"
        case "rating":
            return f"{ANALYSIS[OTHER[query.language]]}\n[[{'九' if verdicts[0] else '三'}]]"
        case "checkpoints":
            words = ("pas respecté", "respecté")
            pairs = zip(query.checkpoints, verdicts, strict=True)
            return "\n\n".join(f"{text}\t{words[verdict]}" for text, verdict in pairs)
        case "question":
            return ("Réponse : non", "Réponse : oui")[verdicts[0]]
        case "segments":
            return f"Explanation: see below.\n\nObject of the question:\n{segment(query)}"


def empty(query: JudgeQuery) -> str:
    return ""


def echo(query: JudgeQuery) -> str:
    return query.answer


def partial_echo(query: JudgeQuery) -> str:
    """The second half of the response."""
    lines = query.answer.splitlines()
    return "\n".join(lines[min(len(lines) // 2, max(len(lines) - 3, 0)) :])


def quoted_echo(query: JudgeQuery) -> str:
    """The response as a quotation, after an analysis."""
    lines = (f"> {line}" for line in query.answer.splitlines())
    return "\n".join([ANALYSIS[query.language], *lines])


def expression(query: JudgeQuery) -> str:
    """Verdicts as an expression that would have to be evaluated."""
    match query.kind:
        case "constraints":
            return f"{ANALYSIS[query.language]}\n['YES'] * {query.count}"
        case "rating":
            return f"{ANALYSIS[query.language]}\nRating: [[4 + 5]]"
        case "checkpoints":
            return "\n\n".join(f"{text}\t0 + 1" for text in query.checkpoints)
        case "question":
            return f"{VERDICTS[query.language][1]} if True else {VERDICTS[query.language][0]}"
        case "segments":
            return f"{HEADING}\nanswer[0:9]"


UNREADABLE = [prose, wrong_count, too_few, other_language, empty,
              echo, partial_echo, quoted_echo, expression]  # fmt: skip
MANNERS = {reply.__name__: reply for reply in UNREADABLE}
"""Replies that a strict reader takes for no verdict, by name."""
ERRING = "erring"
SENSITIVITY = 0.92
SPECIFICITY = 0.80


def erring(query: JudgeQuery) -> str:
    """The verdicts of a judge with this sensitivity and specificity."""
    verdicts = truth(query)
    for number, verdict in enumerate(verdicts):
        if pseudo_random(ERRING, query.slots, number) >= (SENSITIVITY if verdict else SPECIFICITY):
            verdicts[number] = 1 - verdict
    return reply_with(query, verdicts)


REFUSAL = "refusal"
FAULTS = {"429": error(429, Retry_After="0"), "500": error(500)}

Manner = Callable[[JudgeQuery], str]
"""The manner of each reply: a name in ``MANNERS``, or good, erring, refusal, 429 or 500."""


def always(name: str) -> Manner:
    return lambda query: name


def some(*names: str, share: float = 0.5) -> Manner:
    """These manners for a share of the prompts, which includes their repetitions."""

    def manner(query: JudgeQuery) -> str:
        position = pseudo_random("manner", query.slots)
        return names[int(position / share * len(names))] if position < share else "good"

    return manner


def at_first(manner: Manner) -> Manner:
    """The manner for first requests, and good replies to repeated ones."""
    return lambda query: "good" if query.again else manner(query)


class JudgeServer(Server):
    """A judge, and a model for other prompts.

    Attributes:
        manner: of its replies to judge prompts.
        model: its responses to other prompts.
        judged: the judge prompts received, in order.
        strange: prompts with a response as in a judge's, but by no template.
    """

    def __init__(self, delay: float = 0.0):
        super().__init__(delay)
        self.manner: Manner = always("good")
        self.model: Callable[[str], str] = lambda prompt: f"An answer.\n{prompt[-60:]}"
        self.judged: list[str] = []
        self.strange: list[str] = []

    def next_fault(self, prompt: str) -> Fault:
        judge_prompt = read(prompt)
        if judge_prompt is None:
            if re.search(BOUNDARY, prompt):
                self.strange.append(prompt)
            return super().next_fault(prompt)
        self.judged.append(prompt)
        # Only the first request of a prompt fails, or it would never be judged.
        is_first = self.requested[prompt] == 1
        return FAULTS.get(self.manner(judge_prompt), Fault()) if is_first else Fault()

    def reply(self, prompt: str, path: str, body: dict) -> dict:
        reply = super().reply(prompt, path, body)
        message = reply["choices"][0]["message"]
        judge_prompt = read(prompt)
        if judge_prompt is None:
            message["content"] = self.model(prompt)
            return reply
        name = self.manner(judge_prompt)
        if name == REFUSAL:
            message |= {"content": None, "refusal": "I do not judge."}
        elif name not in MANNERS and "response_format" in body:
            schema = body["response_format"]["json_schema"]["schema"]
            message["content"] = formed(judge_prompt, schema)
        else:
            message["content"] = {**MANNERS, ERRING: erring}.get(name, good)(judge_prompt)
        return reply


def judging(delay: float = 0.0):
    """Runs a judge within the block; its URL is ``judge.url``."""
    return running(delay, JudgeServer)
