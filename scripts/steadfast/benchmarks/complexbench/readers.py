"""Stand-ins for models and for judges: seeded answers, and verdicts that believe them.

An answer has, for each scoring question that it keeps, something that shows it: examples of what a
rule wants, a line for what a judge decides. A last line names the questions kept
(``judging.stand_in``); a judge without a model goes by it, and copies the same examples.
"""

from collections.abc import Collection, Sequence
from random import Random

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.extraction import ABSENT, HEADING, LABEL, SEPARATOR
from steadfast.benchmarks.complexbench.parts import language_and_split
from steadfast.benchmarks.complexbench.records import Prompt
from steadfast.benchmarks.complexbench.rule_examples import rule_examples
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample, StandIn
from steadfast.judging.stand_in import BelievingJudge, signature

SIMULATED = facts("complexbench/simulated.yaml")

_COPY = f"【解释】\n依照回复的最后一行。\n\n{HEADING}\n{LABEL}：{{}}"


class ComplexbenchReader(StandIn):
    """Reference answers and simulated readings."""

    def reference(self, sample: Sample[Prompt]) -> str:
        """An answer that keeps every question."""
        return _signed_answer(sample, sample.prompt["points"])

    def simulated(self, sample: Sample[Prompt], reader: Settings, seen: float, rng: Random) -> str:
        """What a reader answers, which misses more the deeper constraints are nested."""
        layers = sample.prompt["layers"]
        miss = reader.get("slip", 0.0) * (SIMULATED["first"] + SIMULATED["layer"] * layers)
        kept = [
            point
            for point in sample.prompt["points"]
            if rng.random() >= miss * (1.0 if _rule(sample, point) is None else SIMULATED["ruled"])
        ]
        return _signed_answer(sample, kept)


def _signed_answer(sample: Sample[Prompt], kept: Collection[int]) -> str:
    language, _ = language_and_split(sample.part)
    wording = SIMULATED["answers"][language]
    lines: list[str] = []
    for point in sample.prompt["points"]:
        if (rule := _rule(sample, point)) is not None:
            lines += rule_examples(rule, point in kept)
        else:
            lines.append(wording["kept" if point in kept else "left"].format(number=point))
    return "\n".join([*lines, signature(kept)])


def _rule(sample: Sample[Prompt], point: int) -> str | None:
    return sample.source["scoring_questions"][point]["rule"]


class ComplexbenchJudge(BelievingJudge):
    """Replies of judges without a model."""

    flip = chatter = 0.25

    def numbers(self, request: JudgeRequest) -> list[int]:
        """That of the one question."""
        return [request.expected["point"]]

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Yes or no, or a copy of the examples that a rule decides on."""
        (holds,), expected = verdicts, request.expected
        if expected["by"] != "rule":
            return SIMULATED["verdicts"][expected["language"]][holds]
        parts = [part for part in rule_examples(expected["rule"], holds) if part in prompt.answer]
        return _COPY.format((SEPARATOR if expected["each"] else "").join(parts) or ABSENT)

    def unreadable(self, reply: str, rng: Random) -> str:
        """A remark, or nothing."""
        return rng.choice(SIMULATED["chatter"])
