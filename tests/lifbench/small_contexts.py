"""Contexts made by hand, one of each scenario, and the files that prompts are built from."""

import os
from pathlib import Path

import pytest

from steadfast.files import write_jsonl
from steadfast.lifbench.expressions import build_expressions
from steadfast.lifbench.tasks import RESOURCES, SCENARIOS, TASKS

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = Path(os.environ.get("LIFEVAL_CASES", REPOSITORY.parent / "shared" / "lifbench"))
TYPES = ("#Topic#", "@argument@", "!Transition!", "*Evidence*", "-Concession-")

needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason="the released files are absent (LIFEVAL_CASES)"
)


def small_context(scenario: str, length: str = "4k", size: int = 40) -> dict:
    """A context with the gold information that the variables are drawn from."""
    record = {"context_id": f"{scenario}-{length}-s1", "scenario": scenario, "length": length}
    record |= {"seed": 1, "budget": 0, "tokens": 0}
    if scenario == "list":
        elements = [f"entry {number:03d} of the list" for number in range(size)]
        text = "\n".join(f"{n}. {element}" for n, element in enumerate(elements, start=1))
        return record | {"text": text, "elements": elements}
    if scenario == "multidoc":
        documents = [{"id": "a", "iD2": "b", "date": "2001-01-01", "text": "same"}] * 2
        return record | {"text": "", "documents": documents, "duplicate_groups": [[0, 1]]}
    sentences = [
        {"type": name, "id": k, "index": 0, "fake": k == 2, "text": f"Sentence {k} of {name}."}
        for name in TYPES
        for k in range(3)
    ]
    ordinary = [f"Plain sentence {k}." for k in range(9)]
    record |= {"text": "", "key_sentences": sentences, "absent_type": "|Summary|"}
    return record | {"ordinary": ordinary}


def write_inputs(folder: Path, source: str = "own", length: str = "4k", **own: Path) -> dict:
    """The files of contexts and expressions, as keyword arguments of ``build_prompts``."""
    contexts = {name: folder / "contexts" / name / f"{length}.jsonl" for name in SCENARIOS}
    for name, path in contexts.items():
        write_jsonl(path, [small_context(name, length)])
    expressions = {task: folder / "expressions" / f"{task}.json" for task in TASKS}
    for task, path in expressions.items():
        templates = own.get(task, RESOURCES / "expressions" / f"{task}.yaml")
        build_expressions(task, source, templates, CASES / "released", path)
    return {"contexts": contexts, "expressions": expressions}
