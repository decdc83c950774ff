"""Instructions in atomic turns (supplement, 5.5): which turn answers for which scoring question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from steadfast.complexbench.instance import Instance, SubInstruction

_KEY = re.compile(r"sub_instruction_(\d{1,4})")
_LIKE = 0.5  # similarity below which a question's wording is more than a little changed
_COMPARED = 300  # characters; the comparison is quadratic


@dataclass(frozen=True)
class Turn:
    """One turn of a decomposed instruction.

    Attributes:
        key: such as ``sub_instruction_0``.
        instruction: what is asked, in Chinese.
        instruction_en: its translation, where there is one.
        points: positions of the scoring questions that its answer is judged by, in order.
    """

    key: str
    instruction: str
    instruction_en: str | None
    points: tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """Something wrong with a decomposition: which turn, what, and whether it is only doubtful."""

    key: str
    sentence: str
    doubtful: bool = False


def turns(instance: Instance) -> tuple[list[Turn], list[Problem]]:
    """The turns of an instance in order, and what is wrong with them.

    Every scoring question belongs to one turn, and those of a turn follow each other in the
    instance; their wording may be changed a little, none may be added or removed.

    Returns:
        No turns where the instance has no sub-instructions.
    """
    parts = instance.sub_instructions or {}
    problems = _misnamed(parts)
    questions = [question.question for question in instance.scoring_questions]
    found: list[Turn] = []
    owner: dict[int, str] = {}
    for key, part in _ordered(parts):
        points, wrong = _points(key, part, questions, start=max(owner, default=-1) + 1)
        problems += wrong
        for point in points:
            if point in owner:
                sentence = f"question {point} is {owner[point]}'s; leave it in one of them"
                problems.append(Problem(key, sentence))
            owner.setdefault(point, key)
        found.append(Turn(key, part.instruction, part.instruction_en, tuple(points)))
    if parts:
        for point in sorted(set(range(len(questions))) - set(owner)):
            problems.append(Problem("", f"question {point} is no turn's; give it to one"))
    return found, problems


def _ordered(parts: Mapping[str, SubInstruction]) -> list[tuple[str, SubInstruction]]:
    """The turns by their numbers; those without one stay where they are, at the end."""

    def number(item: tuple[str, SubInstruction]) -> int:
        match = _KEY.fullmatch(item[0])
        return int(match[1]) if match else len(parts)

    return sorted(parts.items(), key=number)


def _misnamed(parts: Mapping[str, SubInstruction]) -> list[Problem]:
    wanted = [f"sub_instruction_{number}" for number in range(len(parts))]
    return [
        Problem(key, f"the turns are named {wanted[0]} to {wanted[-1]}; rename it")
        for key in parts
        if key not in wanted
    ]


def _points(
    key: str, part: SubInstruction, questions: list[str], start: int
) -> tuple[list[int], list[Problem]]:
    """The positions of one turn's questions; ``start`` is the first that no turn has had."""
    given = part.scoring_questions
    if not given:
        return [], [Problem(key, "has no scoring questions; give it a run of the instance's")]
    if isinstance(given[0], str):
        # A run that starts where its first text stands, or, if reworded, where the last one ended.
        start = questions.index(given[0]) if given[0] in questions else start
        points = list(range(start, start + len(given)))
    else:
        points = list(given)
    problems = []
    if [p for p in points if not 0 <= p < len(questions)]:
        problems.append(
            Problem(
                key,
                f"runs to question {max(points)} of {len(questions)}, which are numbered from 0; "
                "add none, and remove none",
            )
        )
        points = [p for p in points if 0 <= p < len(questions)]
    if points and points != list(range(points[0], points[0] + len(points))):
        problems.append(
            Problem(key, f"questions {points} are no run; give it questions that follow each other")
        )
    if isinstance(given[0], str):
        problems += _reworded(key, dict(zip(points, given, strict=False)), questions)
    return points, problems


def _reworded(key: str, texts: Mapping[int, str], questions: list[str]) -> list[Problem]:
    problems = []
    for point, text in texts.items():
        if text == questions[point]:
            continue
        if text in questions:
            sentence = (
                f"has question {questions.index(text)} where question {point} follows; give it "
                "questions that follow each other"
            )
            problems.append(Problem(key, sentence))
        elif not _alike(text, questions[point]):
            sentence = (
                f"{text[:40]!r} hardly resembles question {point}; change no more than wording"
            )
            problems.append(Problem(key, sentence, doubtful=True))
    return problems


def _alike(text: str, question: str) -> bool:
    matcher = SequenceMatcher(None, text[:_COMPARED], question[:_COMPARED], autojunk=False)
    return matcher.ratio() >= _LIKE
