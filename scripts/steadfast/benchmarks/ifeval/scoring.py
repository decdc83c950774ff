"""The scorer: whether an answer follows all instructions of its prompt, strictly and loosely."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.ifeval.facts import STRICT, SYNTHETIC, Prompt, Version, reported_accuracy
from steadfast.benchmarks.ifeval.library import library_verifier
from steadfast.benchmarks.ifeval.own_kinds import own_verifier
from steadfast.contract.components import INVALID, Answer, Reply, Sample, Score, Scoring

OTHER: Mapping[str, Version] = {"released": "corrected", "corrected": "released"}


class IfevalScoring(Scoring):
    """1 where all instructions are followed, else 0, as the set's authors report it.

    ``strict`` and ``loose`` have the verdicts of both readings of an answer, and the other version
    of the data stands beside it where the two differ.
    """

    def __init__(self, version: Version):
        self._version = version

    def facts(self, sample: Sample[Prompt]) -> Record:
        return {
            "kinds": [one["kind"] for one in _instructions(sample, self._version)],
            "position": sample.prompt.get("position", ""),
            "expression_id": sample.prompt["expression_id"],
        }

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns what an answer is worth; one without a verdict on each instruction nothing."""
        others: dict[str, Score] = {}
        if "corrected" in sample.source["instance"]:
            other = OTHER[self._version]
            others[other] = _score(sample, answer, other)
        found = _score(sample, answer, self._version)
        return replace(found, other_raters=others)


def _instructions(sample: Sample[Prompt], version: Version) -> Sequence[Record]:
    instance = sample.source["instance"]
    found: Sequence[Record] = instance["instructions"]
    return instance.get("corrected", found) if version == "corrected" else found


def _score(sample: Sample[Prompt], answer: Answer, version: Version) -> Score:
    instructions, task = _instructions(sample, version), sample.prompt["task"]
    if not answer.answered:
        unknown = [None] * len(instructions)
        return Score(answer.status, values={"strict": unknown, "loose": unknown})
    prompt = sample.source["instance"]["prompt"]
    strict, loose, problems = followed(task, instructions, prompt, answer.text)
    counted = strict if reported_accuracy(task) == STRICT else loose
    values = {"strict": strict, "loose": loose}
    if problems:
        return Score(INVALID, values=values, extracted=problems)
    names = (f"{at} {one['kind']}" for at, one in enumerate(instructions))
    points = {name: float(bool(held)) for name, held in zip(names, counted, strict=True)}
    return Score(answer.status, points, min(points.values()), values)


Instruction = Mapping[str, Any]
"""Its ``kind`` and its ``kwargs``."""


class Verdicts(NamedTuple):
    """Of each instruction whether it is followed; None where its verifier fails.

    ``problems`` says why verifiers failed, by the instruction's place.
    """

    strict: list[bool | None]
    loose: list[bool | None]
    problems: dict[str, str]


def variants(answer: str) -> Iterator[str]:
    """Yields the eight texts of which one has to follow an instruction loosely (section 2.3)."""
    lines = answer.split("\n")
    cut = ("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))
    for text in (answer, *cut):
        yield text
        yield text.replace("*", "")


def followed(task: str, instructions: Sequence[Instruction], prompt: str, answer: str) -> Verdicts:
    """Returns what an answer to a prompt of a set is worth.

    Verifiers are built anew for each version, since some keep what they saw. A blank text follows
    nothing. Source: the published evaluation of both benchmarks.
    """
    build = own_verifier if task == SYNTHETIC else partial(library_verifier, task)
    strict: list[bool | None] = []
    loose: list[bool | None] = []
    problems = {}
    for place, one in enumerate(instructions):
        try:
            built = (build(one["kind"], one["kwargs"], prompt) for _ in range(2))
            first, again = built
            strict.append(_follows(first, answer))
            loose.append(any(_follows(again, text) for text in dict.fromkeys(variants(answer))))
        except UserError:
            raise
        except Exception as error:  # a library's, of whatever text a model wrote
            del strict[place:]
            strict.append(None)
            loose.append(None)
            problems[str(place)] = f"{one['kind']}: {type(error).__name__}: {error}"
    return Verdicts(strict, loose, problems)


def _follows(verifier: Callable[[str], bool], text: str) -> bool:
    return bool(text.strip()) and verifier(text)
