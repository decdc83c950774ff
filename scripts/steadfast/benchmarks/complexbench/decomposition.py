"""Instructions in atomic turns (supplement, 5.5): which turn answers for which scoring question."""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from steadfast.benchmarks.complexbench.instance import InstanceRecord, SubInstruction

_KEY = re.compile(r"sub_instruction_(\d{1,4})")
_LIKE = 0.5  # similarity below which a question's wording is more than a little changed
_COMPARED = 300  # characters; the comparison is quadratic


class Turn(NamedTuple):
    """One turn of a decomposed instruction."""

    part: SubInstruction  # what is asked, and the questions as they are given
    # positions of the scoring questions that its answer is judged by, in order
    points: tuple[int, ...]


class Problem(NamedTuple):
    """Something wrong with a decomposition: which turn, what, and whether it is only doubtful."""

    key: str
    sentence: str
    doubtful: bool = False


def turns(instance: InstanceRecord) -> tuple[list[Turn], list[Problem]]:
    """Returns the turns of an instance in order, and what is wrong with them.

    Every scoring question belongs to one turn, and those of a turn follow each other in the
    instance; their wording may be changed a little. None depends on a question of a later turn.
    """
    parts = instance.sub_instructions or {}
    questions = [question.question for question in instance.scoring_questions]
    keys = sorted(parts, key=lambda key: int(m[1]) if (m := _KEY.fullmatch(key)) else len(parts))
    names = f"sub_instruction_0 to sub_instruction_{len(parts) - 1}"
    known = {f"sub_instruction_{number}" for number in range(len(parts))}
    problems = [
        Problem(key, f"the turns are named {names}; rename it") for key in parts if key not in known
    ]
    found: list[Turn] = []
    owner: dict[int, str] = {}
    for key in keys:
        points, wrong = _points(parts[key], questions, start=max(owner, default=-1) + 1)
        problems += [Problem(key, *one) for one in wrong]
        for point in points:
            if point in owner:
                sentence = f"question {point} is {owner[point]}'s; leave it in one of them"
                problems.append(Problem(key, sentence))
            owner.setdefault(point, key)
        found.append(Turn(parts[key], tuple(points)))
    if parts:
        for point in sorted(set(range(len(questions))) - set(owner)):
            problems.append(Problem("", f"question {point} is no turn's; give it to one"))
    for point, key in owner.items():
        for parent in instance.scoring_questions[point].dep:
            if parent in owner and keys.index(owner[parent]) > keys.index(key):
                sentence = (
                    f"question {point} depends on question {parent} of a later turn, "
                    f"{owner[parent]}; ask that turn first"
                )
                problems.append(Problem(key, sentence))
    return found, problems


def _points(
    part: SubInstruction, questions: list[str], start: int
) -> tuple[list[int], list[tuple[str, bool]]]:
    """The positions of one turn's questions (``start``: the next), and what is wrong."""
    given = part.scoring_questions
    if not given:
        return [], [("has no scoring questions; give it a run of the instance's", False)]
    if isinstance(given[0], str):
        # A run that starts where its first text stands, or, if reworded, where the last one ended.
        start = questions.index(given[0]) if given[0] in questions else start
        wanted = list(range(start, start + len(given)))
    else:
        wanted = list(given)
    problems = []
    points = [point for point in wanted if 0 <= point < len(questions)]
    if points != wanted:
        sentence = (
            f"runs to question {max(wanted)} of {len(questions)}, which are numbered from 0; "
            "add none, and remove none"
        )
        problems.append((sentence, False))
    if points and points != list(range(points[0], points[0] + len(points))):
        sentence = f"questions {points} are no run; give it questions that follow each other"
        problems.append((sentence, False))
    if isinstance(given[0], str):
        problems += _reworded(dict(zip(points, given, strict=False)), questions)
    return points, problems


def _reworded(texts: Mapping[int, str], questions: list[str]) -> Iterator[tuple[str, bool]]:
    for point, text in texts.items():
        if text == questions[point]:
            continue
        if text in questions:
            sentence = f"has question {questions.index(text)} where question {point} follows"
            yield f"{sentence}; give it questions that follow each other", False
            continue
        both = text[:_COMPARED], questions[point][:_COMPARED]
        if SequenceMatcher(None, *both, autojunk=False).ratio() < _LIKE:
            sentence = f"hardly resembles question {point}; change no more than wording"
            yield f"{text[:40]!r} {sentence}", True
