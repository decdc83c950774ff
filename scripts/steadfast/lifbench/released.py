"""The benchmark's released instruction templates and variables (tasks.json)."""

import hashlib
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from steadfast.errors import UserError
from steadfast.files import read_json, read_text, write_text
from steadfast.lifbench.tasks import RESOURCES, TASKS
from steadfast.lifbench.variables import read_yaml
from steadfast.pinned import fetch

SOURCE = RESOURCES / "released.yaml"
_EVIDENCE_KINDS = ("true", "true", "fake", "fake", "ordinary", "ordinary")
_LOCAL = "set lifbench.released.directory in the config to a directory that holds tasks.json"
Record = dict[str, Any]


def fetch_tasks(directory: str | None, out: Path, source: Record | None = None) -> None:
    """Copy tasks.json from a directory, or fetch it at its pinned revision and check it.

    Args:
        directory: holds tasks.json; None fetches it.
        out: where the file goes, replaced atomically.
        source: url, bytes and sha256; those of ``resources/lifbench/released.yaml`` by default.

    Raises:
        UserError: the file is missing, the network failed, or what came is not the pinned file.
    """
    if directory is not None:
        write_text(out, read_text(Path(directory) / "tasks.json"))
        return
    write_text(out, fetch(source or read_yaml(SOURCE), _LOCAL).decode("utf-8"))


def released_task(
    task: str, released: Path | None, own_space: Record
) -> tuple[str, list[Record], Record]:
    """A task's scenario description, templates and sampling space as released, slips included.

    Args:
        task: a key of ``TASKS``.
        released: tasks.json or its directory.
        own_space: the task's space in ``resources/lifbench/variables.yaml``, kept where the
            variables come from the context.

    Returns:
        (scenario_prompt, expressions, space); an expression's origin and cluster are null where
        unknown.

    Raises:
        UserError: no file is given, or it is missing or of another shape.
    """
    if released is None:
        raise UserError(f"expressions: no released templates are given; {_LOCAL}")
    path = released / "tasks.json" if released.is_dir() else released
    record, name = read_json(path), TASKS[task].released_name
    try:
        scenario = record[TASKS[task].scenario]
        meta = scenario["subtasks"][name]
        entries = [entry if isinstance(entry, list) else [entry] for entry in meta["instructions"]]
        templates = [(entry[0], entry[1] if len(entry) > 1 else None) for entry in entries]
        space = _space(task, meta.get("params"), own_space)
        scenario_prompt = scenario["sys_instruction"]
    except (KeyError, TypeError, IndexError, ValueError):
        raise UserError(
            f"{path}: not LIFBench's tasks.json, {name!r} is missing or incomplete; {_LOCAL}"
        ) from None
    provenance = chain(_provenance(task, path), repeat((None, None)))
    expressions = [
        {
            "expression_id": number,
            "template": template,
            "direction": direction,
            "origin": origin,
            "cluster": cluster,
        }
        for number, ((template, direction), (origin, cluster)) in enumerate(
            zip(templates, provenance, strict=False)
        )
    ]
    return scenario_prompt, expressions, space


def _provenance(task: str, path: Path) -> list[list]:
    # Known for the pinned file only: an edited copy may have other templates in the same places.
    facts = read_yaml(SOURCE)
    pinned = hashlib.sha256(path.read_bytes()).hexdigest() == facts["sha256"]
    return facts["provenance"][task] if pinned else []


def _space(task: str, params: Any, own_space: Record) -> Record:
    # The released prompts combine such lists at random; here the values at place k go together.
    if task == "OR":
        pairs = zip(params["num"], params["sep"], strict=True)
        return {"settings": [{"num": num, "sep": sep} for num, sep in pairs]}
    if task == "OQ":
        options = params["options"]
        settings = [
            {"kind": kind, "options": options[place % len(options)]}
            for place, kind in enumerate(_EVIDENCE_KINDS)
        ]
        return {"settings": settings}
    if task == "OE":
        return {"types": params["type"]}
    if task in ("MB", "MF"):
        return {"settings": params}
    return own_space
