"""A sample as people look at it: what was asked, and what models answered, whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steadfast.contract.components import Sample
from steadfast.contract.records import Output, ScoreRecord
from steadfast.show.passages import Passages


@dataclass(frozen=True)
class JudgedRequest:
    """What judges were asked about an answer, behind it, and the reply of each that there is."""

    id: str
    tail: str
    replies: Mapping[str, Output]


@dataclass(frozen=True)
class SeenAnswer:
    """One model's answer to a sample.

    Attributes:
        model: its name in the config.
        draw: 0 for the first answer that was drawn.
        output: its record; None where the sample was not asked.
        score: its record; None where there is none yet.
        judged: what judges were asked and replied.
    """

    model: str
    draw: int
    output: Output | None
    score: ScoreRecord | None
    judged: Sequence[JudgedRequest] = ()


@dataclass(frozen=True)
class SeenSample:
    """A sample and all that the results folder has of it.

    Attributes:
        benchmark: its title.
        sample: the prompt and its source.
        before: the instructions of the turns that it follows.
        passages: what of its context it is about; None where the benchmark has no contexts.
        expected: the reference's answer.
        answers: of the models, draw by draw.
    """

    benchmark: str
    sample: Sample
    before: Sequence[str]
    passages: Passages | None
    expected: str
    answers: Sequence[SeenAnswer] = field(default_factory=tuple)

    @property
    def fields(self) -> dict[str, Any]:
        """What the data have of it beside its instruction."""
        asked = self.sample.prompt["instruction"]
        return {name: value for name, value in self.sample.source.items() if value != asked}
