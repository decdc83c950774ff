"""The examples of docs/rubrics.md in the data files, with what they are scored by."""

from typing import Any

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.tasks import SCENARIOS
from steadfast.contract.components import Score

SCENARIO_PROMPTS = dict.fromkeys(SCENARIOS, "Read this.\n{input}\nDo this: {instruction}\n")


def read() -> tuple[dict[str, dict], list[dict]]:
    """The contexts, as records, and the differences."""
    data = facts("lifbench/rubric_differences.yaml")
    contexts = {name: _record(name, known) for name, known in data["contexts"].items()}
    return contexts, data["differences"]


def _record(name: str, known: dict[str, Any]) -> dict[str, Any]:
    if known["scenario"] == "list":
        lines = (f"{n}. {element}" for n, element in enumerate(known["elements"], start=1))
        text = "\n".join(lines)
    elif known["scenario"] == "multidoc":
        text = "\n\n".join(
            "\n".join([f"doc-{n}", *(f"{key}: {value}" for key, value in document.items())])
            for n, document in enumerate(known["documents"], start=1)
        )
    else:
        text = known["text"]
    return known | {"context_id": name, "text": text}


def scores(difference: dict, context: dict) -> dict[str, Score]:
    """What each rubric gives the example's response."""
    given = difference["variables"]
    prompt = {
        "sample_id": difference["quirk"],
        "task": difference["task"],
        "instruction": f"do it like {given.get('example', 'that')}",
        "variables": given,
        "gold": {},
    }
    scenario_prompt = SCENARIO_PROMPTS[context["scenario"]]
    return {
        rubric: score(prompt, context, scenario_prompt, difference["response"], rubric)
        for rubric in RUBRICS
    }


def shown_context(context: dict) -> str:
    """A context as the page shows it."""
    return f"**{context['context_id']}**\n\n```text\n{context['text']}\n```\n"


def shown_difference(difference: dict) -> str:
    """A difference as the page shows it."""
    names = list(difference["scores"]["released"])
    rows = [
        ["", *names],
        ["---", *("---" for _ in names)],
        *([rubric, *points.values()] for rubric, points in difference["scores"].items()),
    ]
    return "\n".join(
        [
            f"### {difference['quirk']} · {difference['title']}",
            "",
            f"- released: {difference['released']}",
            f"- corrected: {difference['corrected']}",
            "",
            f"Asked ({difference['task']}, {difference['context']}): {difference['asked']}.",
            "",
            "```text",
            difference["response"],
            "```",
            "",
            *(f"| {' | '.join(map(str, row))} |" for row in rows),
            "",
        ]
    )


def points_of_tasks() -> list[dict[str, Any]]:
    """What the corrected rubric gives points for, by tasks that are scored alike."""
    return facts("lifbench/rubric_points.yaml")


def total(part: dict, context: dict, answer: str) -> float:
    """What the corrected rubric gives an answer to the example of such tasks."""
    prompt = {
        "sample_id": "example",
        "task": part["tasks"][0],
        "instruction": "Do it.",
        "variables": part["variables"],
        "gold": {},
    }
    # LSI stands for LOI and LOE, and LBI for LBE: they differ in how the element is asked for.
    return score(prompt, context, SCENARIO_PROMPTS[context["scenario"]], answer, "corrected").total


def shown_points(part: dict) -> str:
    """The section of the page about such tasks."""
    answers = [(answer.replace("\n", "⏎").replace("|", "\\|"), t) for answer, t in part["answers"]]
    return "\n".join(
        [
            f"### {', '.join(part['tasks'])}",
            "",
            *(f"- **{name}**: {meaning}" for name, meaning in part["points"].items()),
            "",
            f"Forced by the weights: {part['forced']}.",
            "",
            f"Asked ({part['tasks'][0]}, {part['context']}): {part['asked']}.",
            "",
            "| answer | total |",
            "| --- | --- |",
            *(f"| `{answer}` | {t} |" for answer, t in answers),
            "",
        ]
    )
