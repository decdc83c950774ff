"""LIFEval, the rubric-based scorer of LIFBench (paper, section 4.1, appendix D and Table 6).

``released`` follows the benchmark's released scorer, quirks included; ``corrected`` mends them. A
rubric is a mapping from task to a function ``(prompt, facts, scenario_prompt, response) -> Marks``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from steadfast.errors import UserError
from steadfast.lifbench.rubric.corrected import SCORERS as CORRECTED
from steadfast.lifbench.rubric.facts import facts_of
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.released import SCORERS as RELEASED
from steadfast.lifbench.tasks import RUBRICS as WEIGHTS
from steadfast.lifbench.tasks import total_weight

Scorer = Callable[[dict, Any, str, str], Marks]

RUBRICS: dict[str, dict[str, Scorer]] = {"released": RELEASED, "corrected": CORRECTED}


@dataclass(frozen=True)
class Score:
    """A scored response.

    Attributes:
        points: each score point as a fraction of its weight, 0 to 1.
        total: the sample's score, 0 to 1.
        extracted: what was read out of the response.
    """

    points: dict[str, float]
    total: float
    extracted: dict[str, Any] = field(default_factory=dict)


def score(
    prompt: dict, context: dict, scenario_prompt: str, response: str, rubric: str = "released"
) -> Score:
    """Score one response; any text has a score, and none can make this raise.

    Args:
        prompt: the prompt record; its ``variables`` and ``gold`` are used.
        context: the context record; kept prepared between calls, so it must not change.
        scenario_prompt: the scenario description with ``{input}`` and ``{instruction}``.
        response: what the model wrote.
        rubric: one of ``RUBRICS``.

    Raises:
        UserError: there is no such rubric.
    """
    if rubric not in RUBRICS:
        raise UserError(f"rubric: no rubric {rubric!r}; choose one of {', '.join(RUBRICS)}")
    task = prompt["task"]
    response = response.strip()
    marks = Marks({})
    if response:
        marks = RUBRICS[rubric][task](prompt, facts_of(context), scenario_prompt, response)
    weights = WEIGHTS[rubric][task]
    points = {name: marks.points.get(name, 0.0) for name in weights}
    total = 0.0 if marks.void else sum(points.values()) / total_weight(task, rubric)
    fractions = {name: points[name] / weights[name].weight for name in points}
    return Score(fractions, total, marks.extracted)
