"""The examples of docs/rubrics.md in the data files, with what they are scored by."""

from typing import Any

from small_contexts import numbered, prompt_record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS
from steadfast.benchmarks.lifbench.tasks import SCENARIOS
from steadfast.contract.components import Score

SCENARIO_PROMPTS = dict.fromkeys(SCENARIOS, "Read this.\n{input}\nDo this: {instruction}\n")


def read() -> tuple[dict[str, dict], list[dict]]:
    """The contexts, as records, and the differences."""
    data = facts("lifbench/rubric_differences.yaml")
    contexts = {name: _record(name, fields) for name, fields in data["contexts"].items()}
    return contexts, data["differences"]


def _record(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    record = {"text": ""} | fields | {"context_id": name}
    if fields["scenario"] == "list":
        record["text"] = numbered(fields["elements"])
    elif fields["scenario"] == "multidoc":
        blocks = []
        for number, document in enumerate(fields["documents"], start=1):
            lines = [f"{key}: {value}" for key, value in document.items()]
            blocks.append("\n".join([f"doc-{number}", *lines]))
        record["text"] = "\n\n".join(blocks)
    return record


def scores(difference: dict, context: dict) -> dict[str, Score]:
    """The example's score by each rubric."""
    variables = difference["variables"]
    instruction = f"do it like {variables.get('example', 'that')}"
    sample = (
        prompt_record(difference["task"], variables, instruction),
        context,
        SCENARIO_PROMPTS[context["scenario"]],
    )
    return {rubric: score(*sample, difference["response"], rubric) for rubric in RUBRICS}


def shown_context(context: dict) -> str:
    """A context as the page shows it: documents as a table, the rest as it stands in a prompt."""
    heading = f"**{context['context_id']}**"
    if context["scenario"] != "multidoc":
        return f"{heading}\n\n```text\n{context['text']}\n```\n"
    fields = ["id", "title", "text", "date", "source"]
    rows = [["document", *fields], ["---"] * (len(fields) + 1)]
    for number, document in enumerate(context["documents"], start=1):
        rows.append([f"doc-{number}", *(document.get(field, "") for field in fields)])
    return f"{heading}\n\n{_table(rows)}"


def shown_difference(difference: dict) -> str:
    """A difference as a row of the page's table."""
    results = []
    for rubric in RUBRICS:
        points = dict(difference["scores"][rubric])
        total = points.pop("total")
        listed = ", ".join(f"`{name}` {value}" for name, value in points.items())
        marks = f"**{total}** ({listed})" if listed else f"**{total}**"
        results.append(f"{marks}: {difference[rubric]}")
    example = f"{difference['task']}, {difference['context']}: {difference['requested']}"
    response = f"`{_in_a_cell(difference['response'])}`"
    quirk = f"**{difference['quirk']}** {difference['title']}"
    return _table([[quirk, f"{example} → {response}", *results]])


def _in_a_cell(response: str) -> str:
    return response.replace("\n", "⏎").replace("|", "\\|")


def _table(rows: list[list]) -> str:
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def points_of_tasks() -> list[dict[str, Any]]:
    """The points of the corrected rubric, by tasks that are scored alike."""
    return facts("lifbench/rubric_points.yaml")


def total(part: dict, context: dict, answer: str) -> float:
    """The total by the corrected rubric of an answer to the example of such tasks."""
    # LSI stands for LOI and LOE, and LBI for LBE: they differ in how the element is described.
    prompt = prompt_record(part["tasks"][0], part["variables"])
    return score(prompt, context, SCENARIO_PROMPTS[context["scenario"]], answer, "corrected").total


def shown_points(part: dict) -> str:
    """The section of the page about such tasks."""
    task, *_ = part["tasks"]
    request = f"response to: {part['requested']} ({task}, {part['context']})"
    rows = [[request, "total"], ["---", "---"]]
    rows += [[f"`{_in_a_cell(answer)}`", value] for answer, value in part["answers"]]
    lines = [f"### {', '.join(part['tasks'])}", "", _table(rows)]
    for name, meaning in part["points"].items():
        lines.append(f"- `{name}`, weight {WEIGHTS['corrected'][task][name].weight}: {meaning}")
    lines += [f"- **Wrong content**: {part['forced']}", ""]
    return "\n".join(lines)
