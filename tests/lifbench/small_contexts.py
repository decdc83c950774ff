"""Contexts made by hand, one of each scenario, and the data that prompts are made of."""

import os
from functools import cache
from pathlib import Path

import pytest

from steadfast.base.files import Record, read_json
from steadfast.benchmarks.lifbench.expressions import own_expressions, released_expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import released_name
from steadfast.benchmarks.lifbench.tasks import SCENARIOS

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = Path(os.environ.get("LIFEVAL_CASES", REPOSITORY.parent / "shared" / "lifbench"))
TYPES = ("#Topic#", "@argument@", "!Transition!", "*Evidence*", "-Concession-")

needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason="the released files are absent (LIFEVAL_CASES)"
)


def small_context(scenario: str, length: str = "4k", size: int = 40) -> Record:
    """A context with the information that variables are sampled from."""
    record = {"context_id": f"{scenario}-{length}-s1", "scenario": scenario, "length": length}
    record |= {"seed": 1, "budget": 0, "tokens": 0, "text": ""}
    if scenario == "list":
        elements = [f"entry {number:03d} of the list" for number in range(size)]
        return record | {"text": numbered(elements), "elements": elements}
    if scenario == "multidoc":
        documents = [{"id": "a", "iD2": "b", "date": "2001-01-01", "text": "same"}] * 2
        return record | {"documents": documents, "duplicate_groups": [[0, 1]]}
    sentences = [
        {"type": name, "id": k, "index": 0, "fake": k == 2, "text": f"Sentence {k} of {name}."}
        for name in TYPES
        for k in range(3)
    ]
    ordinary = [f"Plain sentence {k}." for k in range(9)]
    record |= {"key_sentences": sentences, "absent_type": "|Summary|"}
    return record | {"ordinary": ordinary}


def prompt_record(task: str, variables: Record, instruction: str = "Do it.") -> Record:
    """A prompt as scorers take it."""
    return {
        "sample_id": f"{task}/x",
        "task": task,
        "instruction": instruction,
        "variables": variables,
        "reference_answer": {},
    }


def numbered(elements: list[str]) -> str:
    """The text of a list."""
    return "\n".join(f"{number}. {element}" for number, element in enumerate(elements, start=1))


@cache
def expressions(task: str, source: str = "own") -> Record:
    """A task's expressions, the project's own or the released ones."""
    if source == "own":
        return own_expressions({}, TASKS[task].expression_settings)
    templates = {"templates": CASES / "released/tasks.json"}
    return released_expressions(templates, TASKS[task].expression_settings)


def released_templates(task: str) -> list[tuple[str, int | None]]:
    """The released templates of a task with their directions."""
    scenario = read_json(CASES / "released/tasks.json")[TASKS[task].scenario]
    templates = []
    for entry in scenario["subtasks"][released_name(task)]["instructions"]:
        templates.append((entry, None) if isinstance(entry, str) else tuple(entry))
    return templates


def small_data(source: str = "own", length: str = "4k") -> dict[str, dict]:
    """The data that the prompts of a length are made of."""
    return {
        "contexts": {name: [small_context(name, length)] for name in SCENARIOS},
        "expressions": {task: expressions(task, source) for task in TASKS},
    }
