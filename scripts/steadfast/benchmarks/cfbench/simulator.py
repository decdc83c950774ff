"""Simulated responses and verdicts; a response names the checkpoints that it meets."""

from collections.abc import Collection, Sequence
from random import Random

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.facts import DIRECT, DIRECT_FORM
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample
from steadfast.contract.simulated import ModelSimulator, SimulatedJudge, signature

CHANCES = facts("cfbench/simulated.yaml")
OPENINGS: Sequence[str] = CHANCES["answers"]


class CfbenchSimulator(ModelSimulator):
    """Responses that meet some checkpoints, or all."""

    def requirements(self, sample: Sample) -> range:
        """The checkpoints, from 1."""
        return range(1, len(sample.source["checkpoints"]) + 1)

    def meets(
        self, sample: Sample, number: int, settings: Settings, seen: float, rng: Random
    ) -> bool:
        """A checkpoint is missed more often the more there are, and the later and harder it is."""
        checkpoints = sample.source["checkpoints"]
        share = CHANCES["first"] + CHANCES["each"] * (len(checkpoints) - 1)
        difficulty = CHANCES["difficulty"].get(checkpoints[number - 1]["type"], 1.0)
        late = CHANCES["late"] * settings.get("position_bias", 0.0) * (number / len(checkpoints))
        miss: float = settings.get("slip", 0.0) * (share * difficulty + late)
        return rng.random() >= miss

    def response(self, sample: Sample, met: Collection[int], rng: Random) -> str:
        """Returns a sentence about the instruction's topic."""
        return f"{_sentence(sample, rng.choice(OPENINGS))}\n\n{signature(met)}"

    def reference(self, sample: Sample) -> str:
        """Returns the record's own reference answer, where it has one, or a sentence."""
        answer = sample.source["gold"] or _sentence(sample, OPENINGS[0])
        return f"{answer}\n\n{signature(self.requirements(sample))}"


def _sentence(sample: Sample, opening: str) -> str:
    first_line = sample.source["prompt"].strip().partition("\n")[0]
    return opening.format(topic=first_line[:40])


class CfbenchJudge(SimulatedJudge):
    """Verdicts as CFBench's judges write them."""

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
