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
from steadfast.benchmarks.lifbench import released_files, tasks
from steadfast.benchmarks.lifbench.templates import check_expressions
from steadfast.config.complaint import complaint
from steadfast.config.source import check_source
from steadfast.schema.strict import StrictModel

KEYS = ("expression_id", "template", "direction", "origin", "cluster")
PAGE = "docs/lifbench-prompts.md"
_EVIDENCE_KINDS = ("true", "true", "fake", "fake", "ordinary", "ordinary")


def sampling_space(variables: tasks.Variables) -> Settings:
    """Returns the space of a task's variables; label sets in it are written out as settings.

    These are batch-label's: the candidates, the key of their order, and the text of the rules.
    """
    space = variables.space
    settings = []
    if "label_sets" not in space:
        return space
    for labels in space["label_sets"]:
        names = labels["labels"]
        rules = []
        for case, label in zip(space["cases"], names, strict=True):
            rules.append(space["rule"].format(case=case, label=label))
        settings.append(
            {
                "rule_key": "".join(name[0] for name in names),
                "candidates": labels.get("shown", names),
                "rules": "\n".join(rules),
            }
        )
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
        raise UserError(complaint(Templates, error, path, PAGE)) from None
    return [
        {**expression.model_dump(), "origin": expression.origin or file.origin}
        for expression in file.expressions
    ]


def own_files(task: str, scenario: str) -> tuple[str, str]:
    """Returns the packaged files that ``own_expressions`` reads: a task's, and its scenario's."""
    return f"lifbench/expressions/{task}.yaml", f"lifbench/scenarios/{scenario}.yaml"


def own_expressions(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's templates, scenario description and space of variables."""
    known_task = tasks.Task.of(task)
    templates, scenario = own_files(known_task.id, known_task.scenario)
    place = str(resource(templates))
    return {
        "task": known_task.id,
        "origin": "own",
        "scenario_prompt": facts(scenario)["prompt"],
        "space": sampling_space(known_task.variables),
        "expressions": check_expressions(known_task, read_templates(place), place),
    }


def released_expressions(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's description, templates and space as released, slips included."""
    path = inputs["templates"]
    known_task = tasks.Task.of(task)
    record = read_json(path)
    name = released_files.released_name(known_task.id)
    own_space = sampling_space(known_task.variables)
    try:
        scenario = record[known_task.scenario]
        meta = scenario["subtasks"][name]
        templates = []
        for entry in meta["instructions"]:
            # A template, or a list of one and its direction.
            parts = entry if isinstance(entry, list) else [entry]
            templates.append((parts[0], parts[1] if len(parts) > 1 else None))
        space = _space(known_task.id, meta.get("params"), own_space)
        scenario_prompt = scenario["sys_instruction"]
    except (KeyError, TypeError, IndexError, ValueError):
        raise UserError(
            f"{path}: not LIFBench's tasks.json, {name!r} is missing or incomplete; "
            + released_files.LOCAL.format(name="tasks.json")
        ) from None
    provenance = chain(_provenance(known_task.id, path), repeat((None, None)))
    expressions = []
    for number, (template, origin) in enumerate(zip(templates, provenance, strict=False)):
        expressions.append(dict(zip(KEYS, (number, *template, *origin), strict=True)))
    return {
        "task": known_task.id,
        "origin": "released",
        "scenario_prompt": scenario_prompt,
        "space": space,
        "expressions": check_expressions(known_task, expressions, path),
    }


def _provenance(task: str, path: Path) -> list[tuple[str, str]]:
    # Known for the pinned file only: an edited copy may have other templates in the same places.
    released = facts("lifbench/released.yaml")
    pinned = hashlib.sha256(path.read_bytes()).hexdigest() == released["sha256"]
    return released["provenance"][task] if pinned else []


def _space(task: str, params: Any, own_space: Settings) -> Settings:
    # The released prompts combine such lists at random; here the values at place k go together.
    if task == "OR":
        pairs = zip(params["num"], params["sep"], strict=True)
        return {"settings": [{"num": num, "sep": sep} for num, sep in pairs]}
    if task == "OQ":
        pairs = zip(_EVIDENCE_KINDS, cycle(params["options"]), strict=False)
        return {"settings": [{"kind": kind, "options": options} for kind, options in pairs]}
    if task == "OE":
        return {"types": params["type"]}
    if task in ("MB", "MF"):
        return {"settings": params}
    return own_space
