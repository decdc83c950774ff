"""Simulated responses to LIFBench's prompts, whose parts are looked up one by one.

A simulated model retrieves what the instruction wants with a probability that falls with the
context's length and towards its middle; what it does not retrieve it confuses with a neighbour,
another item or something made up. Now and then it ignores the requested format. No claim about any
model is meant.
"""

import string
from collections.abc import Callable
from random import Random

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import answers, expected, records
from steadfast.benchmarks.lifbench.baseline import baseline_answer
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
    """Reference answers, simulated responses, and the no-lookup baseline of a rubric."""

    def __init__(self, rubric: str = "released"):
        self._rubric = rubric

    def reference(self, sample: Sample[records.Prompt]) -> str:
        """The reference answer, written so that the released rubric gives it 1."""
        return answers.reference_answer(sample.prompt, sample.source["context"])

    def simulated(
        self, sample: Sample[records.Prompt], settings: Settings, seen: float, rng: Random
    ) -> str:
        """Returns a simulated model's response to the first ``seen`` (a share) of the context.

        Settings: span (context length in tokens at which recall has fallen to half), position_bias
        (share of recall lost in the middle of the context), slip (probability that the format is
        not the requested one) and seed (of how well the model copes with each expression).
        """
        task = sample.prompt["task"]
        recall = _Recall(sample.prompt, sample.source["context"], settings, seen, rng)
        if rng.random() < _LOST * (1 - recall.clarity) ** 2:
            return rng.choice(_LOST_ANSWERS)
        answer = _ANSWERS[task](recall)
        text = answer if isinstance(answer, str) else answers.unescaped_json(answer)
        if rng.random() < settings["slip"]:
            text = rng.choice(_slips(task, recall.fields))(text)
        return text

    def baseline(self, sample: Sample[records.Prompt]) -> str | None:
        """Returns the response of who looks nothing up."""
        context = sample.source["context"]
        return baseline_answer(sample.prompt, context, self._rubric, sample.repeat)


class _Recall:
    """What a simulated model recalls of a prompt's context, and its errors on the rest.

    Everything is sampled from one ``rng``, so that the order of calls decides about responses.
    """

    def __init__(
        self, prompt: records.Prompt, context: Record, settings: Settings, seen: float, rng: Random
    ):
        self.prompt = prompt
        self.context = context
        self.fields = expected.fields(prompt)
        self.seen = seen
        self.rng = rng
        self._bias = settings["position_bias"]
        expression = f"{settings['seed']}/{prompt['task']}/{prompt['expression_id']}"
        self._skill = 1 + Random(expression).uniform(-_EXPRESSION_SPREAD, _EXPRESSION_SPREAD)
        # clarity = 1 / (1 + (tokens / span)^STEEPNESS), 1/2 at a context as long as the span
        self.clarity = 1 / (1 + (context["tokens"] * seen / settings["span"]) ** _STEEPNESS)

    def recalls(self, depth: float) -> bool:
        """Returns whether what stands at a depth (0 start, 1 end) is retrieved.

        P = clarity · skill · (1 - bias · 4 · depth · (1 - depth) · (1 - clarity))
        """
        lost = self._bias * 4 * depth * (1 - depth)
        chance = self.clarity * self._skill * (1 - lost * (1 - self.clarity))
        # Of what was truncated nothing is recalled, and no random number is used.
        return depth < self.seen and self.rng.random() < chance

    def recalls_sentence(self, text: str) -> bool:
        """Returns whether a sentence is retrieved, by where it stands in the text."""
        document = self.context["text"]
        return self.recalls(max(0, document.find(text)) / len(document))

    def element(self, index: int) -> str:
        """Returns the list's element at an index, or an error in its place."""
        elements = self.context["elements"]
        if self.recalls(index / len(elements)):
            return str(elements[index])
        visible = max(1, int(len(elements) * self.seen))  # others were truncated
        neighbour = min(max(index + self.rng.choice((-1, 1)), 0), visible - 1)
        # The better the recall, the closer the error is to the right element.
        closeness = self.rng.random() * (0.5 + self.clarity)
        if closeness < 0.25:
            return "".join(self.rng.choices("0123456789abcdef", k=32))  # looks like an identifier
        if closeness < 0.4:
            return self.garbled(elements[min(index, visible - 1)])
        return str(elements[self.rng.randrange(visible) if closeness < 0.7 else neighbour])

    def garbled(self, text: str) -> str:
        """Returns a copy with about every twelfth character wrong, or cut short."""
        if self.rng.random() < 0.3:
            return text[: max(4, len(text) * 2 // 3)]
        letters = list(text)
        for index in range(len(text)):
            if self.rng.random() < 0.08:
                letters[index] = self.rng.choice(string.ascii_lowercase)
        return "".join(letters)


# --- answers, by task: texts, and what is written as JSON --------------------------------------


def _element(recall: _Recall) -> str:
    # LOI and LOE request the element after or before the one with that number.
    return recall.element(recall.fields["id"] - 1 + recall.fields.get("bias", 0))


def _any_element(recall: _Recall) -> str:
    number = len(recall.context["elements"])
    right = answers.blur_indices(recall.prompt, recall.context)
    if not recall.recalls((recall.fields["id"] - 1) / number):
        # Direction or position is not recalled: any element is as likely.
        right = range(number)
    return recall.element(recall.rng.choice(right))


def _elements(recall: _Recall) -> list[str]:
    elements = [recall.element(number - 1) for number in recall.fields["id_arr"]]
    if not recall.recalls(0):
        elements.pop(recall.rng.randrange(len(elements)))
    if not recall.recalls(0):
        recall.rng.shuffle(elements)
    return elements


def _labels(recall: _Recall) -> dict[str, str]:
    documents = recall.context["documents"]
    right = expected.expected_labels(recall.prompt, documents)
    labels = []
    visible = max(1, int(len(documents) * recall.seen))
    for index, label in enumerate(right[:visible]):
        is_recalled = recall.recalls(index / len(documents))
        labels.append(label if is_recalled else recall.rng.choice(recall.fields["candidates"]))
    if not recall.recalls(0):  # stops too early
        labels = labels[: max(1, round(len(labels) * recall.rng.uniform(0.4, 1)))]
    return answers.by_document(labels)


def _duplicates(recall: _Recall) -> str:
    number = len(recall.context["documents"])
    groups = []
    for duplicates in recall.context["duplicate_groups"]:
        group = [index for index in duplicates if recall.recalls(index / number)]
        if len(group) > 1:
            groups.append(group)
    if number > 1 and (not groups or not recall.recalls(0)):
        # Two other documents are taken for duplicates.
        groups.append(recall.rng.sample(range(number), 2))
    lines = []
    for group in groups:
        group_documents = expected.requested_fields(recall.prompt, recall.context, group)
        rows = ", ".join(_row(document, recall) for document in group_documents)
        lines.append(f"[{rows}]")
    return "\n".join(lines)


def _row(document: Record, recall: _Recall) -> str:
    values = []
    for value in document.values():
        if value is not None:
            value = answers.unescaped_json(value if recall.recalls(0) else recall.garbled(value))
        values.append(str(value))
    return f"[{', '.join(values)}]"


def _labelled_sentences(recall: _Recall) -> str:
    sentences = []
    for sentence in answers.requested_sentences(recall.prompt, recall.context):
        if not recall.recalls_sentence(sentence["text"]):
            sentence = recall.rng.choice(recall.context["key_sentences"])
            if recall.rng.random() > recall.clarity:
                text = recall.garbled(sentence["text"])
                sentence = {"text": text, "type": recall.rng.choice(expected.TYPE_NAMES)}
        sentences.append(sentence)
    if not recall.recalls(0):
        sentences = sentences[: recall.rng.randint(1, len(sentences))]
    return answers.labelled_rows(sentences, recall.fields["sep"])


def _option(recall: _Recall) -> str:
    evidence = recall.fields["evidence"]
    if not recall.recalls_sentence(evidence):
        return str(recall.rng.choice(recall.fields["options"]))
    return answers.reference_answer(recall.prompt, recall.context)


def _sentences(recall: _Recall) -> list[str]:
    right = answers.requested_sentences(recall.prompt, recall.context)
    texts = [sentence["text"] for sentence in right if recall.recalls_sentence(sentence["text"])]
    type_name = recall.fields["type"].strip("<>")
    for sentence in recall.context["key_sentences"]:
        # A fake of the type is taken for true, or now and then one of another type for this one.
        mistakable = sentence["fake"]
        if sentence["type"] != type_name:
            mistakable = recall.rng.random() < 0.2
        if mistakable and not recall.recalls_sentence(sentence["text"]):
            texts.append(sentence["text"])
    return [text if recall.recalls(0) else recall.garbled(text) for text in texts]


_ANSWERS: dict[str, Callable[[_Recall], str | list[str] | dict[str, str]]] = {
    "LSI": _element, "LOI": _element, "LOE": _element, "LBI": _any_element, "LBE": _any_element,
    "LMI": _elements, "MB": _labels, "MF": _duplicates,
    "OR": _labelled_sentences, "OQ": _option, "OE": _sentences,
}  # fmt: skip


# --- formats that were not requested ----------------------------------------------------------


def _slips(task: str, fields: Record) -> list[Callable[[str], str]]:
    """Returns the ways in which the format of a task's answer can go wrong."""
    match task:
        case "LMI" | "MB" | "OE":
            return [_prose, _fenced, lambda answer: answer[:-1], _listed, _replacing('"', "'")]
        case "MF":
            return [_prose, _numbered, _fenced, _replacing('"', "'")]
        case "OR":
            return [_prose, _numbered, _replacing(fields["sep"], "-"), _replacing("\n", " ")]
        case "OQ":
            either = " or ".join(fields["options"])
            return [_prose, lambda answer: f"{answer}.", lambda answer: either]
    return [_prose, _numbered, _fenced, lambda answer: f'"{answer}"']


def _prose(answer: str) -> str:
    return _PROSE[len(answer) % len(_PROSE)] + answer


def _fenced(answer: str) -> str:
    return f"```json\n{answer}\n```"


def _numbered(answer: str) -> str:
    lines = enumerate(answer.split("\n"), start=1)
    return "\n".join(f"{number}. {line}" for number, line in lines)


def _listed(answer: str) -> str:
    return "- " + answer.strip("[]{}").replace(", ", "\n- ")


def _replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda answer: answer.replace(old, new)
