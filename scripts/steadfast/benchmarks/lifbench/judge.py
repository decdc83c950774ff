"""A judge's grade of a response, by what it delivers, whatever its form.

The rubrics match text. "Flaw or Artifact?" (arXiv 2509.01790) says that much of what looks like
sensitivity to prompts comes from rigid matching. The judge sees the instruction, the right answer
and the response, and not the context.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from random import Random

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import answers
from steadfast.benchmarks.lifbench.expected import fields
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.benchmarks.lifbench.tasks import JUDGE_TEMPLATE
from steadfast.contract import components
from steadfast.contract.judge_template import JudgeTemplate, boundary
from steadfast.contract.simulated import CHATTER
from steadfast.judging.reply import last_claim

HIGHEST = 4  # grade of a response that delivers everything requested
MAX_TOKENS = 512  # of a reply: a sentence or two, and the grade
_GRADE = re.compile(r"[\s*_`]*([0-4])(?:\s*/\s*4)?[\s*_`.]*")


class LifbenchJudgePrompts(components.JudgePrompts):
    """One request a response."""

    required = frozenset({"instruction", "reference"})
    slots = required | {"boundary"}

    def prompts(
        self,
        sample: components.Sample[Prompt],
        answer: components.Answer,
        templates: Mapping[str, JudgeTemplate],
    ) -> Iterator[components.JudgePrompt]:
        template = templates[JUDGE_TEMPLATE]
        slots = {
            "instruction": sample.prompt["instruction"],
            "reference": right_answer(sample.prompt, sample.source["context"], answer.text),
            "boundary": boundary(answer.text),
        }
        head, tail = template.render(slots)
        request = components.JudgeRequest(sample.id, tail, {}, template.reminder, MAX_TOKENS)
        yield components.JudgePrompt(sample.id, JUDGE_TEMPLATE, head, answer.text, [request])


def right_answer(prompt: Prompt, context: Record, response: str) -> str:
    """Returns the right answer; of several right ones the closest to the response."""
    match prompt["task"]:
        case "LBI" | "LBE":
            elements = context["elements"]
            right_elements = [elements[i] for i in answers.blur_indices(prompt, context)]
            return _closest(right_elements, response, 1)[0]
        case "OR":
            variables = fields(prompt)
            sentences = [sentence for sentence in context["key_sentences"] if not sentence["fake"]]
            rows = answers.labelled_rows(sentences, variables["sep"]).split("\n")
            return "\n".join(_closest(rows, response, variables["num"]))
        case _:
            return answers.reference_answer(prompt, context)


def _closest(texts: Sequence[str], response: str, count: int) -> list[str]:
    """Returns the texts of which a response has the largest share of words, in their order."""
    response_words = _words(response)
    shares = [_share(_words(text), response_words) for text in texts]
    indices = nlargest(count, range(len(texts)), key=shares.__getitem__)
    return [texts[index] for index in sorted(indices)]


def _share(words: set[str], response_words: set[str]) -> float:
    return len(words & response_words) / max(1, len(words))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def grade(reply: str, response: str) -> float | None:
    """Returns the grade in the last line of a judge's reply, as a share of the highest."""
    match = _GRADE.fullmatch(last_claim(reply, response, "Score") or "")
    return int(match[1]) / HIGHEST if match else None


def readable(expected: Record, reply: str, response: str) -> bool:
    """Returns whether a reply has a grade."""
    return grade(reply, response) is not None


class LifbenchJudge(components.JudgeSimulator):
    """A simulated judge, which grades by the share of the right answer's words in the response."""

    def reference(self, prompt: components.JudgePrompt, request: components.JudgeRequest) -> str:
        return self.simulated(prompt, request, {}, Random(0))

    def simulated(
        self,
        prompt: components.JudgePrompt,
        request: components.JudgeRequest,
        settings: Settings,
        rng: Random,
    ) -> str:
        _, _, after = prompt.head.rpartition("<right_answer>\n")
        right, _, _ = after.partition("\n</right_answer>")
        delivered = round(HIGHEST * _share(_words(right), _words(prompt.answer)))
        slip = settings.get("slip", 0.0) / 4
        if rng.random() < slip:
            delivered = HIGHEST - delivered
        if rng.random() < slip:
            return rng.choice(CHATTER)
        return f"It has some of the right answer's words.\nScore: {delivered}"
