"""Simulated models and judges, which believe the line of an answer that names what it kept."""

from collections.abc import Iterable, Sequence
from random import Random

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.facts import DIRECT, DIRECT_FORM
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample, Simulator
from steadfast.judging.simulator import BelievingJudge, signature

CHANCES = facts("cfbench/simulated.yaml")
OPENINGS: Sequence[str] = CHANCES["answers"]


class CfbenchSimulator(Simulator):
    """Reference answers and simulated readings."""

    def reference(self, sample: Sample) -> str:
        """An answer that says it kept every checkpoint; the record's own, where it has one."""
        every = range(1, len(sample.source["checkpoints"]) + 1)
        return _answer(sample, OPENINGS[0], every, sample.source["gold"])

    def simulated(self, sample: Sample, settings: Settings, seen: float, rng: Random) -> str:
        """A simulated model's response: the more checkpoints, the more often it fails one."""
        checkpoints = sample.source["checkpoints"]
        share = CHANCES["first"] + CHANCES["each"] * (len(checkpoints) - 1)
        kept = []
        for number, checkpoint in enumerate(checkpoints, start=1):
            hard = CHANCES["difficulty"].get(checkpoint["type"], 1.0)
            late = CHANCES["late"] * settings.get("position_bias", 0.0)
            late *= number / len(checkpoints)
            if rng.random() >= settings.get("slip", 0.0) * (share * hard + late):
                kept.append(number)
        return _answer(sample, rng.choice(OPENINGS), kept)


def _answer(sample: Sample, opening: str, kept: Iterable[int], text: str = "") -> str:
    first_line = sample.source["prompt"].strip().partition("\n")[0]
    return f"{text or opening.format(topic=first_line[:40])}\n\n{signature(kept)}"


class CfbenchJudge(BelievingJudge):
    """Replies of judges without a model."""

    flip = CHANCES["flip"]
    chatter = CHANCES["chatter"]

    def numbers(self, request: JudgeRequest) -> range:
        expected = request.expected
        return range(1, (expected.get(DIRECT) or len(expected["checkpoints"])) + 1)

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns each checkpoint with 1 or 0; or the share of those that hold, as a score."""
        if DIRECT in request.expected:
            return DIRECT_FORM.format(score=f"{sum(verdicts) / len(verdicts):.2f}")
        pairs = zip(request.expected["checkpoints"], verdicts, strict=True)
        return "\n\n".join(f"{text}\t{int(verdict)}" for text, verdict in pairs)
