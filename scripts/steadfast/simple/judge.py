"""Responses that a judge scores: its prompt, the verdict in its reply, and simulated judges.

The judge of a user's data set gives a number on a scale, on the last line of its reply.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steadfast.base.files import Record, Settings, read_text
from steadfast.base.loading import load
from steadfast.base.resources import resolve_path
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import ANSWER, SLOT, JudgeTemplate, boundary
from steadfast.contract.simulated import SimulatedJudge, without_signature
from steadfast.judging.reply import last_claim
from steadfast.simple.instance import Instance, Mark, instance_of, is_judged

JUDGE_PROMPT = "score"  # name of the one template
# Slots that any template may have; others are fields of the records.
OWN_SLOTS = frozenset({"prompt", "context", "reference", "boundary"})
MAX_TOKENS = 1024  # of a reply: a few sentences, and the verdict
NUMBER = re.compile(r"[\s*_`]*([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)[\s*_`.]*")


def template_fields(template: str) -> list[str]:
    """Returns the fields of the instances that a judge's template names."""
    slots = set(SLOT.findall(read_text(resolve_path(template))))
    return sorted(slots - OWN_SLOTS - {ANSWER})


class InstanceJudgePrompts(JudgePrompts):
    """One request about each response that is judged.

    Args:
        fields: those of the instances that the template names.
        reading, applies: of a ``benchmark.Judge``.
    """

    required = frozenset()

    def __init__(
        self, fields: Sequence[str], reading: Settings | None = None, applies: str | None = None
    ):
        self.slots = OWN_SLOTS | {*fields}  # type: ignore[misc]
        self._expected: Record = dict(reading or {})
        self._is_judged = is_judged(applies)

    def prompts(
        self, sample: Sample[Any], answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        instance = instance_of(sample)
        if not self._is_judged(instance):
            return
        form = templates[JUDGE_PROMPT]
        slots = {name: str(value) for name, value in instance.fields.items()}
        slots |= {
            "prompt": f"{instance.before}{instance.prompt}".strip(),
            "context": instance.context,
            "reference": instance.reference_answer,
            "boundary": boundary(answer.text),
        }
        head, tail = form.render(slots)
        request = JudgeRequest(sample.id, tail, self._expected, form.reminder, MAX_TOKENS)
        yield JudgePrompt(sample.id, JUDGE_PROMPT, head, answer.text, [request])


def readable(expected: Settings, reply: str, response: str, read: str) -> bool:
    """Whether the function of that name reads a verdict out of a judge's reply."""
    return load(read)(reply, without_signature(response), **expected) is not None


class InstanceJudge(SimulatedJudge):
    """Simulated judges; ``replies`` are those about a wrong and about a right response."""

    flip = 0.5
    chatter = 0.2

    def __init__(self, replies: Sequence[str]):
        self._replies = replies

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        return self._replies[int(verdicts[0])]


# --- a number on a scale ------------------------------------------------------------------------


def score_of(reply: str, response: str, scale: Sequence[float]) -> float | None:
    """Returns the number behind ``Score:`` on the last line of the judge's own words, where it is
    on the scale."""
    claim = last_claim(reply, response, "Score")
    match = NUMBER.fullmatch(claim) if claim else None
    value = float(match[1]) if match else None
    return value if value is not None and scale[0] <= value <= scale[1] else None


def share_of_scale(
    response: str, instance: Instance, verdict: float, scale: Sequence[float]
) -> Mark:
    """Returns a judge's number as a share of its scale."""
    lowest, highest = scale
    return Mark({"judge": (verdict - lowest) / (highest - lowest)}, extracted={"score": verdict})
