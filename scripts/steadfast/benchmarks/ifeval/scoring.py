"""The scorer: whether an answer follows all instructions of its prompt."""

from collections.abc import Mapping, Sequence

from steadfast.base.files import Record
from steadfast.benchmarks.ifeval.facts import (
    STRICT,
    Prompt,
    Reading,
    headline_of,
)
from steadfast.benchmarks.ifeval.verdicts import followed
from steadfast.contract.components import INVALID, Answer, Reply, Sample, Score, Scoring

OTHER: Mapping[str, Reading] = {"released": "corrected", "corrected": "released"}


class IfevalScoring(Scoring):
    """1 where all instructions are followed, else 0, as the set's authors report it.

    ``strict`` and ``loose`` have the verdicts of both readings of an answer, and the other reading
    of the data stands beside it where the two differ.
    """

    def __init__(self, reading: Reading):
        self._reading = reading

    def facts(self, sample: Sample[Prompt]) -> Record:
        """Returns the kinds of its instructions, its place and its wording."""
        return {
            "kinds": [one["kind"] for one in _instructions(sample, self._reading)],
            "place": sample.prompt.get("place", ""),
            "expression_id": sample.prompt["expression_id"],
        }

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns what an answer is worth; one without a verdict on each instruction nothing."""
        others = {}
        if "corrected" in sample.source["instance"]:
            other = OTHER[self._reading]
            others[other] = _score(sample, answer, other)
        found = _score(sample, answer, self._reading)
        return Score(**{**vars(found), "other_raters": others})


def _instructions(sample: Sample[Prompt], reading: Reading) -> Sequence[Record]:
    instance = sample.source["instance"]
    found: Sequence[Record] = instance["instructions"]
    return instance.get("corrected", found) if reading == "corrected" else found


def _score(sample: Sample[Prompt], answer: Answer, reading: Reading) -> Score:
    instructions, task = _instructions(sample, reading), sample.prompt["task"]
    if not answer.answered:
        unknown = [None] * len(instructions)
        return Score(answer.status, values={"strict": unknown, "loose": unknown})
    prompt = sample.source["instance"]["prompt"]
    strict, loose, problems = followed(task, instructions, prompt, answer.text)
    counted = strict if headline_of(task) == STRICT else loose
    values = {"strict": strict, "loose": loose}
    if problems:
        return Score(INVALID, values=values, extracted=problems)
    names = (f"{at} {one['kind']}" for at, one in enumerate(instructions))
    points = {name: float(bool(held)) for name, held in zip(names, counted, strict=True)}
    return Score(answer.status, points, min(points.values()), values)
