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
            "kinds": [instruction["kind"] for instruction in _instructions(sample, self._version)],
            "position": sample.prompt.get("position", ""),
            "expression_id": sample.prompt["expression_id"],
        }

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns an answer's score; there is none without a verdict on each instruction."""
        score = _score(sample, answer, self._version)
        if "corrected" not in sample.source["instance"]:
            return score
        other_version = OTHER[self._version]
        other_score = _score(sample, answer, other_version)
        return replace(score, other_raters={other_version: other_score})


def _instructions(sample: Sample[Prompt], version: Version) -> Sequence[Record]:
    instance = sample.source["instance"]
    published: Sequence[Record] = instance["instructions"]
    return instance.get("corrected", published) if version == "corrected" else published


def _score(sample: Sample[Prompt], answer: Answer, version: Version) -> Score:
    instructions = _instructions(sample, version)
    task = sample.prompt["task"]
    if not answer.answered:
        unknown = [None] * len(instructions)
        return Score(answer.status, values={"strict": unknown, "loose": unknown})
    prompt = sample.source["instance"]["prompt"]
    strict, loose, problems = verify(task, instructions, prompt, answer.text)
    counted = strict if reported_accuracy(task) == STRICT else loose
    values = {"strict": strict, "loose": loose}
    if problems:
        return Score(INVALID, values=values, extracted=problems)
    points = {}
    for index, (instruction, is_followed) in enumerate(zip(instructions, counted, strict=True)):
        points[f"{index} {instruction['kind']}"] = float(bool(is_followed))
    return Score(answer.status, points, min(points.values()), values)


# Its ``kind`` and its ``kwargs``.
Instruction = Mapping[str, Any]


class Verdicts(NamedTuple):
    """Whether each instruction is followed; None where its verifier fails.

    ``problems`` has the errors of verifiers, by the instruction's index.
    """

    strict: list[bool | None]
    loose: list[bool | None]
    problems: dict[str, str]


def variants(answer: str) -> Iterator[str]:
    """Yields the eight texts of which one has to follow an instruction loosely (section 2.3)."""
    lines = answer.split("\n")
    # Without its first line, its last one, or both: an introduction or an offer of further help.
    shortened = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    for text in (answer, *shortened):
        yield text
        yield text.replace("*", "")


def verify(task: str, instructions: Sequence[Instruction], prompt: str, answer: str) -> Verdicts:
    """Returns the verdicts on an answer, as the published evaluations of both benchmarks give them.

    Verifiers are built anew for each criterion, since some keep state; blank texts follow nothing.
    """
    build = own_verifier if task == SYNTHETIC else partial(library_verifier, task)
    strict: list[bool | None] = []
    loose: list[bool | None] = []
    problems = {}
    for index, instruction in enumerate(instructions):
        kind = instruction["kind"]
        kwargs = instruction["kwargs"]
        try:
            strict_verifier = build(kind, kwargs, prompt)
            loose_verifier = build(kind, kwargs, prompt)
            is_followed = _follows(strict_verifier, answer)
            texts = dict.fromkeys(variants(answer))
            is_loosely_followed = any(_follows(loose_verifier, text) for text in texts)
        except UserError:
            raise
        except Exception as error:  # a library's, of whatever text a model wrote
            strict.append(None)
            loose.append(None)
            problems[str(index)] = f"{kind}: {type(error).__name__}: {error}"
        else:
            strict.append(is_followed)
            loose.append(is_loosely_followed)
    return Verdicts(strict, loose, problems)


def _follows(verifier: Callable[[str], bool], text: str) -> bool:
    return bool(text.strip()) and verifier(text)
