"""A simple benchmark's scorer: a function of the text of an answer and its instance."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.contract.components import INVALID, MISSING, Answer, Reply, Sample, Score, Scoring
from steadfast.contract.simulated import without_signature
from steadfast.simple.instance import UNREAD, VERDICT, Instance, Mark, instance_of, is_judged

REASONING = "reasoning"  # parameter of a scorer that takes what the model wrote before the response


class NoVerdictError(ValueError):
    """A judge's reply is missing, or gives no verdict."""


class SimpleScoring(Scoring):
    """Scores by a function of response and instance; the instance's ``by`` goes into the record.

    The function takes text and instance, and the settings as keyword arguments; with a parameter
    ``reasoning`` also what the model wrote before the response, or None, and of a judged benchmark
    ``verdict``, None for an instance that is not judged. It gives a number from 0 to 1, several by
    name, or a ``Mark``.

    Args:
        function: its name, as ``base.loading.load`` takes it.
        settings: its further keyword arguments.
        main: which of several numbers counts in place of their mean.
        read, reading, applies: of a ``benchmark.Judge``, if there is one.
    """

    def __init__(
        self,
        function: str,
        settings: Settings | None = None,
        main: str = "",
        read: str = "",
        reading: Settings | None = None,
        applies: str | None = None,
    ):
        self._name = function
        self._score = load(function)
        self._settings = settings or {}
        self._main = main
        self._sees_reasoning = REASONING in signature(self._score).parameters
        self._read = load(read) if read else None
        self._reading = reading or {}
        self._is_judged = is_judged(applies)

    def facts(self, sample: Sample[Any]) -> Record:
        return {"by": sample.prompt["by"]}

    def score(self, sample: Sample[Any], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns the score of a response; without a response there is none."""
        if not answer.answered:
            return Score(answer.status)
        instance = instance_of(sample)
        text = answer.text
        settings = {**self._settings}
        if self._sees_reasoning:
            settings[REASONING] = answer.reasoning
        if self._read is not None:
            text = without_signature(text)
            try:
                settings[VERDICT] = self._verdict(instance, text, verdicts.get(sample.id, MISSING))
            except NoVerdictError as error:
                return Score(INVALID, extracted={"problem": str(error)})
        try:
            result = self._score(text, instance, **settings)
        except Exception as error:
            raise self._wrong(sample, f"fails ({type(error).__name__}: {error})") from error
        mark = result if isinstance(result, Mark) else Mark(result)
        points = mark.score if isinstance(mark.score, Mapping) else {"score": mark.score}
        if not points or not all(map(_is_share, points.values())):
            raise self._wrong(sample, f"gives {mark.score!r}, and not numbers from 0 to 1")
        if self._main and self._main not in points:
            raise self._wrong(sample, f"gives {mark.score!r}, which lacks {self._main!r}")
        values = {name: float(point) for name, point in points.items()}
        total = values[self._main] if self._main else sum(values.values()) / len(values)
        reading = {} if mark.unread is None else {UNREAD: mark.unread}
        extracted = mark.extracted
        if self._read is not None and extracted is None:
            extracted = {VERDICT: settings[VERDICT]}
        return Score(answer.status, values, total, reading, extracted)

    def _verdict(self, instance: Instance, response: str, reply: Reply) -> Any:
        """Returns a judge's verdict; None where the instance is not judged.

        Raises:
            NoVerdictError: there is no reply, or no verdict in it.
        """
        if self._read is None or not self._is_judged(instance):
            return None
        if not reply.answered:
            raise NoVerdictError(f"reply {reply.status}")
        verdict = self._read(reply.text, response, **self._reading)
        if verdict is None:
            raise NoVerdictError("the reply gives no verdict")
        return verdict

    def _wrong(self, sample: Sample[Any], problem: str) -> UserError:
        return UserError(f"{self._name}: for the response to {sample.id} it {problem}; correct it")


def _is_share(point: object) -> bool:
    return isinstance(point, int | float) and 0 <= point <= 1
