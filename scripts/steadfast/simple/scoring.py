"""A simple benchmark's scorer: a function of the text of an answer and its instance."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.contract.components import Answer, Reply, Sample, Score, Scoring
from steadfast.simple.instance import UNREAD, Mark, instance_of

REASONING = "reasoning"


class BySample(Scoring):
    """A scorer of a simple benchmark."""

    def facts(self, sample: Sample[Any]) -> Record:
        return {"by": sample.prompt["by"]}


class SimpleScoring(BySample):
    """The mean of what a function gives an answer; its fields ``by`` stand beside it.

    The function takes text and instance, and the settings as keyword arguments; with a parameter
    ``reasoning`` also what the model wrote before the response, or None. It gives a number from 0
    to 1, several by name, or a ``Mark``.
    """

    def __init__(self, function: str, settings: Settings | None = None):
        self._name = function
        self._score = load(function)
        self._settings = settings or {}
        self._sees_reasoning = REASONING in signature(self._score).parameters

    def score(self, sample: Sample[Any], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns what an answer is worth; one that there is not has no score."""
        if not answer.answered:
            return Score(answer.status)
        settings = {**self._settings}
        if self._sees_reasoning:
            settings[REASONING] = answer.reasoning
        try:
            result = self._score(answer.text, instance_of(sample), **settings)
        except Exception as error:
            raise self._wrong(sample, f"fails ({type(error).__name__}: {error})") from error
        mark = result if isinstance(result, Mark) else Mark(result)
        points = mark.score if isinstance(mark.score, Mapping) else {"score": mark.score}
        if not points or not all(map(_is_share, points.values())):
            raise self._wrong(sample, f"gives {mark.score!r}, and not numbers from 0 to 1")
        values = {name: float(point) for name, point in points.items()}
        total = sum(values.values()) / len(values)
        reading = {} if mark.unread is None else {UNREAD: mark.unread}
        return Score(answer.status, values, total, reading, mark.extracted)

    def _wrong(self, sample: Sample[Any], what: str) -> UserError:
        return UserError(f"{self._name}: for the response to {sample.id} it {what}; correct it")


def _is_share(point: object) -> bool:
    return isinstance(point, int | float) and 0 <= point <= 1
