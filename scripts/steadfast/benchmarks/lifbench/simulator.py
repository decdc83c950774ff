"""Simulated models, seeded, for trying the whole workflow on any machine.

A simulated model retrieves what the instruction wants with a probability that falls with the
context's length and towards its middle; what it does not retrieve it confuses with a neighbour,
another item or something made up. Now and then it ignores the requested format. No claim about any
model is meant.
"""

import json
import random
import string
from collections.abc import Callable

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import answers, expected
from steadfast.benchmarks.lifbench.baseline import baseline_answer
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.contract.components import Sample, Simulator

_STEEPNESS = 0.6  # of recall over the context's length
_LOST = 0.7  # chance to lose the thread where nothing is recalled
_EXPRESSION_SPREAD = 0.15  # of skill over a task's expressions

_PROSE = ("Sure! Here is what you asked for: ", "Based on the text above, the answer is:\n")
_LOST_ANSWERS = (
    "I could not find that in the text.",
    "The text covers many different things. What would you like to know about it?",
    "[]",
)


class LifbenchSimulator(Simulator):
    """Gives reference answers, simulated readings, and the baseline of a rubric."""

    def __init__(self, rubric: str = "released"):
        self._rubric = rubric

    def reference(self, sample: Sample[Prompt]) -> str:
        """Returns the reference answer, written so that the released rubric gives it 1."""
        prompt = sample.prompt
        context = sample.source["context"]
        return answers.reference_answer(prompt, context)

    def simulated(
        self, sample: Sample[Prompt], settings: Settings, seen: float, rng: random.Random
    ) -> str:
        """A simulated model's response where it saw a fraction of the context, from its start.

        It has a span (the context length in tokens at which recall has fallen to half), a
        position_bias (the share of recall lost in the middle of the context, 0 to 1), a slip (the
        probability that an answer's format is not the requested one) and a seed (of how well it
        copes with each expression).
        """
        reading = _Reading(sample.prompt, sample.source["context"], settings, seen, rng)
        if rng.random() < _LOST * (1 - reading.clarity) ** 2:
            return rng.choice(_LOST_ANSWERS)
        answer, slips = _ANSWERS[sample.prompt["task"]](reading)
        if rng.random() < settings["slip"]:
            answer = rng.choice(slips)(answer)
        return answer

    def baseline(self, sample: Sample[Prompt]) -> str | None:
        """Returns the answer of who looks nothing up."""
        context = sample.source["context"]
        return baseline_answer(sample.prompt, context, self._rubric, sample.repeat)


class _Reading:
    """One simulated model with one prompt: what it recalls, and what it takes it for otherwise."""

    def __init__(
        self, prompt: Prompt, context: Record, settings: Settings, seen: float, rng: random.Random
    ):
        self.prompt = prompt
        self.context = context
        self.given = expected.fields(prompt)
        self.rng = rng
        self.seen = seen
        self.bias = settings["position_bias"]
        key = f"{settings['seed']}/{prompt['task']}/{prompt['expression_id']}"
        self.skill = 1 + random.Random(key).uniform(-_EXPRESSION_SPREAD, _EXPRESSION_SPREAD)
        self.clarity = 1 / (1 + (context["tokens"] * seen / settings["span"]) ** _STEEPNESS)

    def recalls(self, depth: float) -> bool:
        """Tells whether what stands at a depth (0 start, 1 end) is retrieved."""
        lost = self.bias * 4 * depth * (1 - depth)
        chance = self.clarity * self.skill * (1 - lost * (1 - self.clarity))
        return depth < self.seen and self.rng.random() < chance

    def element(self, index: int) -> str:
        """Returns the list's element at an index, or what the simulated model takes for it."""
        elements = self.context["elements"]
        visible = max(1, int(len(elements) * self.seen))
        if self.recalls(index / len(elements)):
            return str(elements[index])
        near = min(max(index + self.rng.choice((-1, 1)), 0), visible - 1)
        kind = self.rng.random() * (0.5 + self.clarity)
        if kind < 0.25:
            return "".join(self.rng.choices("0123456789abcdef", k=32))  # looks like an identifier
        if kind < 0.4:
            return self.garbled(elements[min(index, visible - 1)])
        return str(elements[self.rng.randrange(visible) if kind < 0.7 else near])

    def garbled(self, text: str) -> str:
        """Returns a copy with about every twelfth character wrong, or cut short."""
        if self.rng.random() < 0.3:
            return text[: max(4, len(text) * 2 // 3)]
        letters = string.ascii_lowercase
        return "".join(self.rng.choice(letters) if self.rng.random() < 0.08 else c for c in text)

    def depth_of(self, sentence: Record) -> float:
        """Returns where in the text a key sentence stands, from 0 to 1."""
        text = self.context["text"]
        return float(max(0, text.find(sentence["text"])) / max(1, len(text)))


Slips = list[Callable[[str], str]]


def _fenced(answer: str) -> str:
    return f"```json\n{answer}\n```"


def _prose(answer: str) -> str:
    return _PROSE[len(answer) % len(_PROSE)] + answer


def _numbered(answer: str) -> str:
    return "\n".join(f"{n}. {line}" for n, line in enumerate(answer.split("\n"), start=1))


def _listed(answer: str) -> str:
    return "\n".join(f"- {part}" for part in answer.strip("[]{}").split(", "))


def _single_quoted(answer: str) -> str:
    return answer.replace('"', "'")


_TEXT_SLIPS: Slips = [_prose, _numbered, _fenced, lambda answer: f'"{answer}"']
_JSON_SLIPS: Slips = [_prose, _fenced, lambda answer: answer[:-1], _listed, _single_quoted]


def _one(reading: _Reading) -> tuple[str, Slips]:
    offset = reading.given["bias"] if reading.prompt["task"] in ("LOI", "LOE") else 0
    return reading.element(reading.given["id"] - 1 + offset), _TEXT_SLIPS


def _blur(reading: _Reading) -> tuple[str, Slips]:
    right = answers.blur_indices(reading.prompt, reading.context)
    reference = reading.given["id"] - 1
    if not reading.recalls(reference / len(reading.context["elements"])):
        # The direction, or the place itself, is lost: any element will do.
        right = range(len(reading.context["elements"]))
    return reading.element(reading.rng.choice(right)), _TEXT_SLIPS


def _many(reading: _Reading) -> tuple[str, Slips]:
    answer = [reading.element(number - 1) for number in reading.given["id_arr"]]
    if not reading.recalls(0):
        answer.pop(reading.rng.randrange(len(answer)))
    if not reading.recalls(0):
        reading.rng.shuffle(answer)
    return json.dumps(answer, ensure_ascii=False), _JSON_SLIPS


def _label(reading: _Reading) -> tuple[str, Slips]:
    rng = reading.rng
    candidates = reading.given["candidates"]
    documents = reading.context["documents"]
    right = expected.expected_labels(reading.prompt, documents)
    visible = max(1, int(len(documents) * reading.seen))
    labels = [
        label if reading.recalls(i / len(documents)) else rng.choice(candidates)
        for i, label in enumerate(right[:visible])
    ]
    if not reading.recalls(0):  # loses count
        labels = labels[: max(1, round(len(labels) * rng.uniform(0.4, 1)))]
    answer = {f"doc{number}": label for number, label in enumerate(labels, start=1)}
    return json.dumps(answer, ensure_ascii=False), _JSON_SLIPS


def _duplicates(reading: _Reading) -> tuple[str, Slips]:
    rng = reading.rng
    context = reading.context
    n = len(context["documents"])
    groups = [
        [index for index in group if reading.recalls(index / n)]
        for group in context["duplicate_groups"]
    ]
    groups = [group for group in groups if len(group) > 1]
    if n > 1 and (not groups or not reading.recalls(0)):  # takes two others for duplicates
        groups.append(rng.sample(range(n), 2))
    lines = []
    for group in expected.duplicate_documents(reading.prompt, context["documents"], groups):
        rows = (", ".join(_shown(value, reading) for value in row.values()) for row in group)
        lines.append(f"[{', '.join(f'[{row}]' for row in rows)}]")
    return "\n".join(lines), [_prose, _numbered, _fenced, _single_quoted]


def _shown(value: str | None, reading: _Reading) -> str:
    if value is None:
        return "None"
    if not reading.recalls(0):
        value = reading.garbled(value)
    return json.dumps(value, ensure_ascii=False)


def _repeat(reading: _Reading) -> tuple[str, Slips]:
    rng = reading.rng
    separator = reading.given["sep"]
    labelled = reading.context["key_sentences"]
    rows = []
    for sentence in answers.asked_sentences(reading.prompt, reading.context):
        if not reading.recalls(reading.depth_of(sentence)):
            sentence = rng.choice(labelled)
            if rng.random() > reading.clarity:
                sentence = sentence | {
                    "text": reading.garbled(sentence["text"]),
                    "type": rng.choice(expected.TYPE_NAMES),
                }
        rows.append(f"{sentence['text']} {separator} {sentence['type']}")
    if not reading.recalls(0):
        rows = rows[: rng.randint(1, len(rows))]
    return "\n".join(rows), [
        _prose,
        _numbered,
        lambda answer: answer.replace(separator, "-"),
        lambda answer: answer.replace("\n", " "),
    ]


def _question(reading: _Reading) -> tuple[str, Slips]:
    evidence = reading.given["evidence"]
    options = reading.given["options"]
    if reading.recalls(reading.depth_of({"text": evidence})):
        answer = options[0 if answers.is_key_sentence(evidence, reading.context) else 1]
    else:
        answer = reading.rng.choice(options)
    return answer, [_prose, lambda answer: f"{answer}.", lambda answer: " or ".join(options)]


def _extract(reading: _Reading) -> tuple[str, Slips]:
    asked = answers.asked_sentences(reading.prompt, reading.context)
    sentences = [s for s in asked if reading.recalls(reading.depth_of(s))]
    type_name = reading.given["type"].strip("<>")
    for other in reading.context["key_sentences"]:
        mistakable = other["fake"] if other["type"] == type_name else reading.rng.random() < 0.2
        if mistakable and not reading.recalls(reading.depth_of(other)):
            sentences.append(other)
    texts = [s["text"] if reading.recalls(0) else reading.garbled(s["text"]) for s in sentences]
    return json.dumps(texts, ensure_ascii=False), _JSON_SLIPS


_ANSWERS: dict[str, Callable[[_Reading], tuple[str, Slips]]] = {
    **dict.fromkeys(("LSI", "LOI", "LOE"), _one),
    **dict.fromkeys(("LBI", "LBE"), _blur),
    "LMI": _many,
    "MB": _label,
    "MF": _duplicates,
    "OR": _repeat,
    "OQ": _question,
    "OE": _extract,
}
