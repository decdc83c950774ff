"""Instructions in atomic turns (supplement, 5.5): which turn answers for which scoring question."""

from typing import NamedTuple

from steadfast.benchmarks.complexbench.instance import InstanceRecord, SubInstruction


class Turn(NamedTuple):
    """One turn of a decomposed instruction."""

    part: SubInstruction  # what is asked, and the questions as they are given
    # positions of the scoring questions that its answer is judged by, in order
    points: tuple[int, ...]


def turns(instance: InstanceRecord) -> list[Turn]:
    """Returns the turns of an instance in order; none where they do not share out its questions.

    Every scoring question belongs to one turn, those of a turn follow each other in the instance,
    and none depends on a question of a later turn.
    """
    parts = instance.sub_instructions or {}
    if {f"sub_instruction_{number}" for number in range(len(parts))} != parts.keys():
        return []
    questions = [question.question for question in instance.scoring_questions]
    turns: list[Turn] = []
    owner: dict[int, int] = {}
    for number in range(len(parts)):
        part = parts[f"sub_instruction_{number}"]
        points = _points(part, questions, start=max(owner, default=-1) + 1)
        if not points or not owner.keys().isdisjoint(points) or points[-1] >= len(questions):
            return []
        owner |= dict.fromkeys(points, number)
        turns.append(Turn(part, tuple(points)))
    if owner.keys() != set(range(len(questions))):
        return []
    for point, number in owner.items():
        if any(owner[parent] > number for parent in instance.scoring_questions[point].dep):
            return []
    return turns


def _points(part: SubInstruction, questions: list[str], start: int) -> list[int]:
    """The positions of one turn's questions; none where they are no run.

    A run of texts starts where its first one stands, or, if that is reworded, at ``start``. A
    further text that is that of another question belongs elsewhere.
    """
    given = part.scoring_questions
    if not given:
        return []
    if isinstance(given[0], str):
        start = questions.index(given[0]) if given[0] in questions else start
        for point, text in enumerate(given, start):
            if text in questions and text not in questions[point : point + 1]:
                return []
    else:
        start = given[0]
        if list(given) != list(range(start, start + len(given))) or start < 0:
            return []
    return list(range(start, start + len(given)))
