"""A real HTTP judge of the three judged benchmarks: fixed verdicts, and bad manners on demand.

It knows a prompt by the templates in resources/*/judge. What it truly thinks of an answer follows
from the question and the answer (``truth``); how it says so is up to ``manner``. A prompt that is
no judge prompt is answered as a model would (``model``).
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
class Asked:
    """A judge prompt as it is understood.

    Attributes:
        kind: constraints or rating (FollowBench), checkpoints (CFBench), question or segments
            (ComplexBench).
        language: of the template.
        slots: what stood in the template's slots.
        again: whether it is asked since a reply could not be read.
        each: whether several segments are asked for.
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
        """Verdicts that are asked for."""
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
def read(prompt: str) -> Asked | None:
    """What a judge is asked; None where a prompt is no judge's.

    Raises:
        AssertionError: the boundary does not follow from the answer.
    """
    for benchmark, name, pattern in templates():
        if found := pattern.fullmatch(prompt):
            slots = found.groupdict()
            again = slots.pop("again") is not None
            digest = hashlib.sha256(slots["answer"].encode()).hexdigest()
            assert slots["boundary"] == f"answer-{digest[:8]}", prompt
            kind = {"followbench": "constraints", "cfbench": "checkpoints"}.get(benchmark)
            kind = "rating" if benchmark == "followbench" and name.startswith("rating") else kind
            kind = kind or ("segments" if name.startswith("extract") else "question")
            language = "en" if name.endswith("en") else "zh"
            return Asked(kind, language, tuple(slots.items()), again, "each" in name)
    return None


def truth(asked: Asked) -> list[int]:
    """What the judge thinks: 1 or 0 of each constraint, checkpoint or question.

    It believes an answer that says what it kept, and else draws lots by question and answer.
    """
    if KEPT_NOTHING in asked.answer:
        return [0] * asked.count
    kept = KEPT.search(asked.answer)
    if kept and asked.kind in ("constraints", "checkpoints"):
        numbers = {int(number) for number in re.findall(r"\d+", kept[1])}
        return [int(number in numbers) for number in range(1, asked.count + 1)]
    return [int(lot(asked.slots, number) < 0.7) for number in range(asked.count)]


def segment(asked: Asked) -> str:
    """What the judge copies out of the answer: a line or two of it, or nothing."""
    lines = [line for line in asked.answer.splitlines() if line.strip() and not MARKS.search(line)]
    if not lines:
        return "None"
    return "||".join(lines[:2]) if asked.each else lines[int(lot(asked.slots) * len(lines))]


def lot(*what) -> float:
    """A number from 0 to 1 that follows from what is given."""
    digest = hashlib.sha256(repr(what).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4]) / 2**32


# --- replies ---------------------------------------------------------------------------------


def good(asked: Asked) -> str:
    """The verdicts in the form that is asked for."""
    return worded(asked, truth(asked))


def worded(asked: Asked, verdicts: list[int], analysis: str | None = None) -> str:
    """Verdicts in the form that is asked for; for segments a copy for each."""
    analysis = ANALYSIS[asked.language] if analysis is None else analysis
    match asked.kind:
        case "constraints":
            return f"{analysis}\n{['YES' if verdict else 'NO' for verdict in verdicts]}"
        case "rating":
            word = {"en": "Rating: ", "zh": "评分："}[asked.language]
            return f"{analysis}\n{' '.join(f'{word}[[{9 if v else 3}]]' for v in verdicts)}"
        case "checkpoints":
            # More verdicts than checkpoints: the last one is judged again.
            texts = [*asked.checkpoints, *asked.checkpoints[-1:] * len(verdicts)]
            pairs = zip(texts, verdicts, strict=False)
            return "\n\n".join(f"{text}\t{verdict}" for text, verdict in pairs)
        case "question":
            return "\n".join([analysis, *(VERDICTS[asked.language][v] for v in verdicts)])
        case "segments":
            labels = [f"评分对象：{segment(asked)}"] * len(verdicts)
            return "\n".join(["【解释】", analysis, "", HEADING, *labels])


def formed(asked: Asked, schema: dict) -> str:
    """The verdicts as JSON that follows a schema, with an analysis wherever it wants a text."""
    verdicts = iter(truth(asked))

    def filled(part: dict) -> object:
        match part:
            case {"properties": properties}:
                return {name: filled(of) for name, of in properties.items()}
            case {"enum": [only]}:
                return only
            case {"enum": words}:
                yes = next(verdicts)
                return next(word for word in words if (str(word).lower() in YES) == yes)
            case {"type": "string"}:
                return f'{ANALYSIS[asked.language]}\n"No."'
        raise AssertionError(f"no schema of a reply: {part}")

    return json.dumps(filled(schema), ensure_ascii=False)


YES = ("1", "yes", "是")
ANALYSIS = {
    "en": "I went through the demands one by one.",
    "zh": "我逐条对照了要求。",
}
VERDICTS = {"en": ("Answer: no", "Answer: yes"), "zh": ("答案：否", "答案：是")}
OTHER = {"en": "zh", "zh": "en"}


def prose(asked: Asked) -> str:
    """A friendly word and no verdict."""
    return {
        "en": "On the whole a fine answer that keeps to most of what was asked. Yes, well done.",
        "zh": "总的来说，这份回答不错，大部分要求都做到了，是一份好的回答。",
    }[asked.language]


def wrong_count(asked: Asked) -> str:
    """One verdict too many, which contradicts the one before."""
    return worded(asked, [*truth(asked), 1 - truth(asked)[-1]])


def too_few(asked: Asked) -> str:
    """One verdict too few."""
    return worded(asked, truth(asked)[:-1])


def other_language(asked: Asked) -> str:
    """The verdicts in a language that nobody asks in."""
    verdicts = truth(asked)
    match asked.kind:
        case "constraints":
            words = [("NON", "OUI")[verdict] for verdict in verdicts]
            return f"{ANALYSIS[OTHER[asked.language]]}\n{words}"
        case "rating":
            return f"{ANALYSIS[OTHER[asked.language]]}\n[[{'九' if verdicts[0] else '三'}]]"
        case "checkpoints":
            words = ("pas respecté", "respecté")
            pairs = zip(asked.checkpoints, verdicts, strict=True)
            return "\n\n".join(f"{text}\t{words[verdict]}" for text, verdict in pairs)
        case "question":
            return ("Réponse : non", "Réponse : oui")[verdicts[0]]
        case "segments":
            return f"Explanation: see below.\n\nObject of the question:\n{segment(asked)}"


def empty(asked: Asked) -> str:
    """Nothing."""
    return ""


def echo(asked: Asked) -> str:
    """The answer again, and nothing of its own."""
    return asked.answer


def partial_echo(asked: Asked) -> str:
    """The end of the answer, from its middle on."""
    lines = asked.answer.splitlines()
    return "\n".join(lines[min(len(lines) // 2, max(len(lines) - 3, 0)) :])


def quoted_echo(asked: Asked) -> str:
    """The answer as a quotation, below a word of its own."""
    lines = (f"> {line}" for line in asked.answer.splitlines())
    return "\n".join([ANALYSIS[asked.language], *lines])


def expression(asked: Asked) -> str:
    """A verdict that would have to be computed."""
    match asked.kind:
        case "constraints":
            return f"{ANALYSIS[asked.language]}\n['YES'] * {asked.count}"
        case "rating":
            return f"{ANALYSIS[asked.language]}\nRating: [[4 + 5]]"
        case "checkpoints":
            return "\n\n".join(f"{text}\t0 + 1" for text in asked.checkpoints)
        case "question":
            return f"{VERDICTS[asked.language][1]} if True else {VERDICTS[asked.language][0]}"
        case "segments":
            return f"{HEADING}\nanswer[0:9]"


MANNERS = {
    manner.__name__: manner
    for manner in (
        prose,
        wrong_count,
        too_few,
        other_language,
        empty,
        echo,
        partial_echo,
        quoted_echo,
        expression,
    )
}
"""Replies that no strict reading takes for a verdict."""
ERRING = "erring"
SENSITIVITY = 0.92
SPECIFICITY = 0.80


def erring(asked: Asked) -> str:
    """The verdicts of a judge that misses some of what holds, and more of what does not."""
    rights = {1: SENSITIVITY, 0: SPECIFICITY}
    verdicts = enumerate(truth(asked))
    return worded(
        asked, [v if lot(ERRING, asked.slots, n) < rights[v] else 1 - v for n, v in verdicts]
    )


REFUSAL = "refusal"
FAULTS = {"429": error(429, Retry_After="0"), "500": error(500)}

Manner = Callable[[Asked], str]
"""A name in ``MANNERS``, or good, refusal, 429, 500: how a judge takes what it is asked."""


def always(name: str) -> Manner:
    return lambda asked: name


def some(*names: str, share: float = 0.5) -> Manner:
    """That share of the requests badly, each in one of the ways; whether asked again or not."""

    def manner(asked: Asked) -> str:
        place = lot("manner", asked.slots)
        return names[int(place / share * len(names))] if place < share else "good"

    return manner


def at_first(manner: Manner) -> Manner:
    """Badly at the first asking alone."""
    return lambda asked: "good" if asked.again else manner(asked)


class JudgeServer(Server):
    """A judge, and a model for what is no judge prompt.

    Attributes:
        manner: how it replies to what it is asked.
        model: what it answers to a prompt that is no judge's.
        judged: prompts of a judge that it was sent, in order.
        strange: prompts that show an answer as a judge's do, and are by no template.
    """

    def __init__(self, delay: float = 0.0):
        super().__init__(delay)
        self.manner: Manner = always("good")
        self.model: Callable[[str], str] = lambda prompt: f"An answer.\n{prompt[-60:]}"
        self.judged: list[str] = []
        self.strange: list[str] = []

    def next_fault(self, prompt: str) -> Fault:
        asked = read(prompt)
        if asked is None:
            if re.search(BOUNDARY, prompt):
                self.strange.append(prompt)
            return super().next_fault(prompt)
        self.judged.append(prompt)
        # An overloaded server is so once for a request, or nothing would ever be judged.
        first = self.asked[prompt] == 1
        return FAULTS.get(self.manner(asked), Fault()) if first else Fault()

    def reply(self, prompt: str, path: str, body: dict) -> dict:
        asked = read(prompt)
        reply = super().reply(prompt, path, body)
        message = reply["choices"][0]["message"]
        if asked is None:
            message["content"] = self.model(prompt)
        elif (name := self.manner(asked)) == REFUSAL:
            message |= {"content": None, "refusal": "I do not judge."}
        elif name not in MANNERS and "response_format" in body:
            message["content"] = formed(asked, body["response_format"]["json_schema"]["schema"])
        else:
            message["content"] = {**MANNERS, ERRING: erring}.get(name, good)(asked)
        return reply


def judging(delay: float = 0.0):
    """A judge that runs while the block does; its address is ``judge.url``."""
    return running(delay, JudgeServer)
