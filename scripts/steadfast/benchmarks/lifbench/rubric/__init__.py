"""LIFEval, the rubric-based scorer of LIFBench (paper, section 4.1, appendix D and Table 6).

``released`` follows the benchmark's released scorer, quirks included; ``corrected`` mends them. A
rubric is a mapping from task to a ``Scorer``.
"""

from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.lifbench import expected
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.benchmarks.lifbench.rubric.corrected import lists, multidoc, onedoc, repeating
from steadfast.benchmarks.lifbench.rubric.facts import Marks, Scorer, facts_of
from steadfast.benchmarks.lifbench.rubric.released import lists as released_lists
from steadfast.benchmarks.lifbench.rubric.released import multidoc as released_multidoc
from steadfast.benchmarks.lifbench.rubric.released import onedoc as released_onedoc
from steadfast.benchmarks.lifbench.rubric.text import only_repeats
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.contract.components import Score

RELEASED: dict[str, Scorer] = {
    **dict.fromkeys(("LSI", "LOI", "LOE"), released_lists.one_element),
    **dict.fromkeys(("LBI", "LBE"), released_lists.any_element),
    "LMI": released_lists.many_elements,
    "MB": released_multidoc.label_documents,
    "MF": released_multidoc.find_duplicates,
    "OR": released_onedoc.repeat,
    "OQ": released_onedoc.question,
    "OE": released_onedoc.extract,
}
CORRECTED: dict[str, Scorer] = {
    **dict.fromkeys(("LSI", "LOI", "LOE"), lists.one_element),
    **dict.fromkeys(("LBI", "LBE"), lists.any_element),
    "LMI": lists.many_elements,
    "MB": multidoc.label_documents,
    "MF": multidoc.find_duplicates,
    "OR": repeating.repeat,
    "OQ": onedoc.question,
    "OE": onedoc.extract,
}
RUBRICS = {"released": RELEASED, "corrected": CORRECTED}


def score(
    prompt: Prompt, context: Record, scenario_prompt: str, response: str, rubric: str = "released"
) -> Score:
    """Returns one response's score; any text has one, and none can make this raise.

    The context is kept prepared between calls, so it must not change.
    """
    if rubric not in RUBRICS:
        raise UserError(f"rubric: no rubric {rubric!r}; choose one of {', '.join(RUBRICS)}")
    task = prompt["task"]
    response = response.strip()
    marks = Marks({})
    if response and not (rubric == "corrected" and only_repeats(response, prompt["instruction"])):
        requested = _requested(prompt, context, scenario_prompt)
        marks = RUBRICS[rubric][task](response, facts_of(context), *requested)
    weights = WEIGHTS[rubric][task]
    points = {name: marks.points.get(name, 0.0) for name in weights}
    total = 0.0 if marks.void else sum(points.values()) / Rubric(rubric).total_weight(task)
    fractions = {name: points[name] / weights[name].weight for name in weights}
    return Score("ok", fractions, total, extracted=marks.extracted)


def _requested(prompt: Prompt, context: Record, scenario_prompt: str) -> tuple[Any, ...]:
    """Returns the arguments of the task's scorer that say what the prompt requests."""
    variables = expected.fields(prompt)
    match prompt["task"]:
        case "LSI" | "LOI" | "LOE":
            return (expected.expected_element(prompt),)
        case "LBI" | "LBE":
            return variables["id"] - 1, variables["bias"]
        case "LMI":
            return (variables["elements"],)
        case "MB":
            return expected.expected_labels(prompt, context["documents"]), variables["candidates"]
        case "MF":
            groups = context["duplicate_groups"]
            duplicates = [expected.requested_fields(prompt, context, group) for group in groups]
            # An instruction may itself hold "{input}".
            around = []
            for part in scenario_prompt.partition("{input}")[::2]:
                around.append(part.replace("{instruction}", prompt["instruction"]).replace('"', ""))
            return duplicates, variables["info_keys"].split(), around
        case "OR":
            return variables["num"], variables["sep"]
        case "OQ":
            return variables["evidence"], variables["options"]
        case _:
            return (variables["type"].strip("<>"),)
