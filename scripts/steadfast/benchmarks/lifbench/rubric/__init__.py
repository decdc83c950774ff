"""LIFEval, the rubric-based scorer of LIFBench (paper, section 4.1, appendix D and Table 6).

``released`` follows the benchmark's released scorer, quirks included; ``corrected`` mends them. A
rubric is a mapping from task to a ``Scorer``.
"""

from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.gold import (
    duplicate_documents,
    expected_element,
    expected_labels,
    fields,
)
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.benchmarks.lifbench.rubric.corrected import SCORERS as CORRECTED
from steadfast.benchmarks.lifbench.rubric.facts import facts_of
from steadfast.benchmarks.lifbench.rubric.marks import Marks, Scorer
from steadfast.benchmarks.lifbench.rubric.released import SCORERS as RELEASED
from steadfast.benchmarks.lifbench.rubric.text import only_repeats
from steadfast.benchmarks.lifbench.weights import RUBRICS as WEIGHTS
from steadfast.benchmarks.lifbench.weights import total_weight
from steadfast.contract.components import Score

RUBRICS: dict[str, dict[str, Scorer]] = {"released": RELEASED, "corrected": CORRECTED}


def score(
    prompt: Prompt, context: Record, scenario_prompt: str, response: str, rubric: str = "released"
) -> Score:
    """Returns one response's score; any text has one, and none can make this raise.

    The context is kept prepared between calls, so it must not change.

    >>> prompt = {"task": "LSI", "variables": {"id": 1}, "gold": {"element": "Name a fruit."}}
    >>> context = {"scenario": "list", "elements": ["Name a fruit.", "List three rivers."]}
    >>> score(prompt, context, "{input} {instruction}", "List three rivers.").points
    {'format': 1.0, 'correct': 0.0, 'ori': 1.0}
    """
    if rubric not in RUBRICS:
        raise UserError(f"rubric: no rubric {rubric!r}; choose one of {', '.join(RUBRICS)}")
    task = prompt["task"]
    response = response.strip()
    marks = Marks({})
    if response and not (rubric == "corrected" and only_repeats(response, prompt["instruction"])):
        asked = _asked(prompt, context, scenario_prompt)
        marks = RUBRICS[rubric][task](response, facts_of(context), *asked)
    weights = WEIGHTS[rubric][task]
    points = {name: marks.points.get(name, 0.0) for name in weights}
    total = 0.0 if marks.void else sum(points.values()) / total_weight(task, rubric)
    fractions = {name: points[name] / weights[name].weight for name in points}
    return Score("ok", fractions, total, extracted=marks.extracted)


def _asked(prompt: Prompt, context: Record, scenario_prompt: str) -> tuple[Any, ...]:
    """Returns what is asked of the task, as its scorers take it."""
    given = fields(prompt)
    match prompt["task"]:
        case "LSI" | "LOI" | "LOE":
            return (expected_element(prompt),)
        case "LBI" | "LBE":
            return given["id"] - 1, given["bias"]
        case "LMI":
            return (given["elements"],)
        case "MB":
            return expected_labels(prompt, context["documents"]), given["candidates"]
        case "MF":
            gold = duplicate_documents(prompt, context["documents"], context["duplicate_groups"])
            around = [
                part.replace("{instruction}", prompt["instruction"]).replace('"', "")
                for part in scenario_prompt.partition("{input}")[::2]
            ]
            return gold, given["info_keys"].split(), around
        case "OR":
            return given["num"], given["sep"]
        case "OQ":
            return given["evidence"], given["options"]
        case _:
            return (given["type"].strip("<>"),)
