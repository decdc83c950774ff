"""Instruction templates as expressions: the project's own, and the released ones (section 3.3)."""

import hashlib
from collections.abc import Mapping
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json, read_text
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.lifbench import released_files
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions
from steadfast.config.source import check_source
from steadfast.config.validation_errors import first_error
from steadfast.schema.strict import StrictModel

PAGE = "docs/lifbench-prompts.md"
_EVIDENCE_KINDS = ("true", "true", "fake", "fake", "ordinary", "ordinary")


def sampling_space(task: Task) -> Settings:
    """Returns the space of a task's variables; label sets in it are written out as settings.

    These are batch-label's: the candidates, the key of their order, and the text of the rules.
    """
    space = task.space
    if "label_sets" not in space:
        return space
    settings = []
    for labels in space["label_sets"]:
        names = labels["labels"]
        cases = zip(space["cases"], names, strict=True)
        rules = [space["rule"].format(case=case, label=label) for case, label in cases]
        setting = {"rule_key": "".join(name[0] for name in names)}
        setting |= {"candidates": labels.get("shown", names), "rules": "\n".join(rules)}
        settings.append(setting)
    return {"settings": settings}


class Expression(StrictModel):
    """A template, as in ``expressions``."""

    expression_id: int = Field(ge=0)
    template: str = Field(min_length=1)
    direction: Literal[1, -1] | None = None
    origin: str | None = None
    cluster: int | None = None


class Templates(StrictModel):
    """The file of a task's templates."""

    origin: str | None = None
    expressions: list[Expression] = Field(min_length=1)

    @field_validator("expressions")
    @classmethod
    def _numbered(cls, expressions: list[Expression]) -> list[Expression]:
        if len({expression.expression_id for expression in expressions}) < len(expressions):
            raise ValueError("every expression needs an expression_id of its own")
        return expressions


def read_templates(path: str) -> list[Record]:
    """Returns the templates of a task's file, checked."""
    check_source(path, PAGE)
    try:
        file = Templates.model_validate(yaml.safe_load(read_text(path)))
    except ValidationError as error:
        raise UserError(first_error(Templates, error, path, PAGE)) from None
    templates = []
    for expression in file.expressions:
        templates.append({**expression.model_dump(), "origin": expression.origin or file.origin})
    return templates


def own_files(task: str, scenario: str) -> tuple[str, str]:
    """Returns the packaged files that ``own_expressions`` reads: a task's, and its scenario's."""
    return f"lifbench/expressions/{task}.yaml", f"lifbench/scenarios/{scenario}.yaml"


def own_expressions(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's templates, scenario description and space of variables."""
    known_task = Task(**task)
    templates, scenario = own_files(known_task.id, known_task.scenario)
    path = str(resource(templates))
    return {
        "task": known_task.id,
        "origin": "own",
        "scenario_prompt": facts(scenario)["prompt"],
        "space": sampling_space(known_task),
        "expressions": check_expressions(known_task, read_templates(path), path),
    }


def released_expressions(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's description, templates and space as released, slips included."""
    path = inputs["templates"]
    known_task = Task(**task)
    name = released_files.released_name(known_task.id)
    record = read_json(path)
    # Provenance is known for the pinned file only: an edited copy may have other templates.
    released = facts("lifbench/released.yaml")
    is_pinned = hashlib.sha256(path.read_bytes()).hexdigest() == released["sha256"]
    provenance = released["provenance"][known_task.id] if is_pinned else []
    expressions: list[Record] = []
    try:
        scenario = record[known_task.scenario]
        meta = scenario["subtasks"][name]
        sources = chain(provenance, repeat((None, None)))
        for number, (entry, source) in enumerate(zip(meta["instructions"], sources, strict=False)):
            # A template, or a list of one and its direction.
            template, *directions = entry if isinstance(entry, list) else [entry]
            origin, cluster = source
            expression = {
                "expression_id": number,
                "template": template,
                "direction": directions[0] if directions else None,
                "origin": origin,
                "cluster": cluster,
            }
            expressions.append(expression)
        space = _space(known_task, meta.get("params"))
        scenario_prompt = scenario["sys_instruction"]
    except (KeyError, TypeError, IndexError, ValueError):
        raise UserError(
            f"{path}: not LIFBench's tasks.json, {name!r} is missing or incomplete; "
            + released_files.LOCAL.format(name="tasks.json")
        ) from None
    return {
        "task": known_task.id,
        "origin": "released",
        "scenario_prompt": scenario_prompt,
        "space": space,
        "expressions": check_expressions(known_task, expressions, path),
    }


def _space(task: Task, params: Any) -> Settings:
    # The released prompts combine such lists at random; here the k-th values go together.
    match task.id:
        case "OR":
            pairs = zip(params["num"], params["sep"], strict=True)
            return {"settings": [{"num": num, "sep": sep} for num, sep in pairs]}
        case "OQ":
            pairs = zip(_EVIDENCE_KINDS, cycle(params["options"]), strict=False)
            return {"settings": [{"kind": kind, "options": options} for kind, options in pairs]}
        case "OE":
            return {"types": params["type"]}
        case "MB" | "MF":
            return {"settings": params}
    return sampling_space(task)
