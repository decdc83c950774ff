"""A sample as people look at it: what was asked, and what models answered, whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steadfast.contract.components import Sample
from steadfast.run.finished import FinishedAnswer, FinishedPart
from steadfast.show.passages import Passages


@dataclass(frozen=True)
class SeenSample:
    """A sample and all that the results folder has of it: context, answers, replies, scores."""

    benchmark: str
    sample: Sample
    passages: Passages | None
    expected: str
    answers: Sequence[FinishedAnswer] = ()

    @classmethod
    def of(
        cls, part: FinishedPart, sample: Sample, answers: Sequence[FinishedAnswer] = ()
    ) -> "SeenSample":
        """A sample of a part."""
        return cls(
            part.run.evaluation.benchmarks[part.benchmark].title,
            sample,
            part.task.passages.make(sample) if part.task.passages else None,
            part.stand_in.reference(sample),
            answers,
        )

    @property
    def before(self) -> list[str]:
        """The instructions of the turns that it follows."""
        return [turn.prompt["instruction"] for turn in self.sample.turns[:-1]]

    @property
    def fields(self) -> dict[str, Any]:
        """What the data have of it beside its instruction."""
        asked = self.sample.prompt["instruction"]
        return {name: value for name, value in self.sample.source.items() if value != asked}
