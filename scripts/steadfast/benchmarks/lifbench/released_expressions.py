"""The benchmark's released instruction templates and variables, as expressions."""

import hashlib
from collections.abc import Mapping
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.released_files import released_name
from steadfast.benchmarks.lifbench.spaces import sampling_space
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions

_EVIDENCE_KINDS = ("true", "true", "fake", "fake", "ordinary", "ordinary")


def expressions(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's scenario description, templates and space as released, slips included.

    Where the variables come from the context, the space is the project's own. An expression's
    origin and cluster are null where unknown.
    """
    path = inputs["templates"]
    known, record = Task.of(task), read_json(path)
    name, own_space = released_name(known.id), sampling_space(known.variables)
    try:
        scenario = record[known.scenario]
        meta = scenario["subtasks"][name]
        entries = [entry if isinstance(entry, list) else [entry] for entry in meta["instructions"]]
        templates = [(entry[0], entry[1] if len(entry) > 1 else None) for entry in entries]
        space = _space(known.id, meta.get("params"), own_space)
        scenario_prompt = scenario["sys_instruction"]
    except (KeyError, TypeError, IndexError, ValueError):
        raise UserError(
            f"{path}: not LIFBench's tasks.json, {name!r} is missing or incomplete; set "
            "lifbench.released.directory in the config to a directory that holds tasks.json"
        ) from None
    provenance = chain(_provenance(known.id, path), repeat((None, None)))
    keys = ("expression_id", "template", "direction", "origin", "cluster")
    found = [
        dict(zip(keys, (number, *template, *origin), strict=True))
        for number, (template, origin) in enumerate(zip(templates, provenance, strict=False))
    ]
    return {
        "task": known.id,
        "origin": "released",
        "scenario_prompt": scenario_prompt,
        "space": space,
        "expressions": check_expressions(known, found, path),
    }


def _provenance(task: str, path: Path) -> list[tuple[str, str]]:
    # Known for the pinned file only: an edited copy may have other templates in the same places.
    known = facts("lifbench/released.yaml")
    pinned = hashlib.sha256(path.read_bytes()).hexdigest() == known["sha256"]
    return known["provenance"][task] if pinned else []


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
