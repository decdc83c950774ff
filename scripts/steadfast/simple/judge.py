"""Answers that a judge scores: one number, on the last line of its reply."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steadfast.base.files import Record
from steadfast.contract.components import (
    INVALID,
    Answer,
    JudgePrompt,
    JudgePrompts,
    JudgeRequest,
    Reply,
    Sample,
    Score,
)
from steadfast.contract.judge_template import JudgeTemplate, boundary
from steadfast.contract.simulated import SimulatedJudge
from steadfast.judging.reply import last_claim
from steadfast.simple.instance import instance_of
from steadfast.simple.scoring import BySample

TEMPLATE = "score"
"""Name of the one template."""
OWN_SLOTS = frozenset({"prompt", "context", "reference", "boundary"})
"""Slots that any template may have; others are fields of the records."""
MAX_TOKENS = 1024  # of a reply: a few sentences, and the score
NUMBER = re.compile(r"[\s*_`]*([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)[\s*_`.]*")


class DatasetJudgePrompts(JudgePrompts):
    """One request an answer. ``fields`` are those of the records that the template names."""

    required = frozenset()

    def __init__(self, fields: Sequence[str], scale: Sequence[float]):
        self.slots = OWN_SLOTS | {*fields}  # type: ignore[misc]
        self._expected: Record = {"scale": list(scale)}

    def prompts(
        self, sample: Sample[Any], answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        instance = instance_of(sample)
        form = templates[TEMPLATE]
        slots = {
            "prompt": f"{instance.before}{instance.prompt}".strip(),
            "context": instance.context,
        }
        slots |= {"reference": instance.reference_answer, "boundary": boundary(answer.text)}
        fields = {name: str(value) for name, value in instance.fields.items()} | slots
        head, tail = form.render(fields)
        request = JudgeRequest(sample.id, tail, self._expected, form.reminder, MAX_TOKENS)
        yield JudgePrompt(sample.id, TEMPLATE, head, answer.text, [request])


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Whether a reply ends with a score on the scale."""
    return score_of(expected["scale"], reply, answer) is not None


def score_of(scale: Sequence[float], reply: str, answer: str) -> float | None:
    """Returns the number behind ``Score:`` on the last line of the judge's own words, where it is
    on the scale."""
    claim = last_claim(reply, answer, "Score")
    match = NUMBER.fullmatch(claim) if claim else None
    value = float(match[1]) if match else None
    return value if value is not None and scale[0] <= value <= scale[1] else None


class DatasetJudgeScoring(BySample):
    """The judge's number, as a share of its scale; without a readable one the sample is invalid."""

    def __init__(self, scale: Sequence[float]):
        self._scale = scale

    def score(self, sample: Sample[Any], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        if not answer.answered:
            return Score(answer.status)
        reply = verdicts.get(sample.id)
        if reply is None or not reply.answered:
            return Score(INVALID, extracted={"problem": f"reply {reply.status if reply else ''}"})
        value = score_of(self._scale, reply.text, answer.text)
        if value is None:
            return Score(INVALID, extracted={"problem": "the reply gives no score"})
        lowest, highest = self._scale
        share = (value - lowest) / (highest - lowest)
        return Score(answer.status, {"judge": share}, share, extracted={"score": value})


class DatasetJudge(SimulatedJudge):
    """Replies of judges without a model: the highest or the lowest score."""

    flip, chatter = 0.5, 0.2

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        return f"Score: {request.expected['scale'][int(verdicts[0])]:g}"
