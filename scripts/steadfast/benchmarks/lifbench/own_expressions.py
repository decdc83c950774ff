"""The project's own instruction templates, as expressions (paper, section 3.3)."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_text
from steadfast.base.names import nearest
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.lifbench.spaces import sampling_space
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions

KEYS = ("expression_id", "template", "direction", "origin", "cluster")


def expressions(
    inputs: Mapping[str, Path], task: Settings, templates: Sequence[Record] | None = None
) -> Record:
    """Returns the templates of a task, its scenario description and the space of its variables.

    The paper's tasks have a packaged file of templates each; the user's own bring theirs.
    """
    known = Task.of(task)
    place = f"task {known.id}"
    if templates is None:
        path = resource(f"lifbench/expressions/{known.id}.yaml")
        templates, place = read_expressions(path), str(path)
    return {
        "task": known.id,
        "origin": "own",
        "scenario_prompt": facts("lifbench/scenarios.yaml")[known.scenario],
        "space": sampling_space(known.variables),
        "expressions": check_expressions(known, templates, place),
    }


def read_expressions(path: Path) -> list[Record]:
    """Returns the templates in a YAML file, in the order of the file."""
    try:
        record = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        problem = getattr(error, "problem", None) or "unreadable"
        raise UserError(
            f"{where}: not valid YAML ({problem}); mend that line, quoting texts that hold "
            "colons, braces or quotation marks"
        ) from None
    entries = _checked(record, ("origin", "expressions"), str(path)).get("expressions")
    if not isinstance(entries, list) or not entries:
        raise UserError(f"{path}: 'expressions' must be a list of entries, one at least")
    defaults = {"direction": None, "origin": record.get("origin"), "cluster": None}
    expressions = []
    for place, entry in enumerate(entries, start=1):
        where = f"{path}: entry {place}"
        expressions.append(defaults | _checked(entry, KEYS, where))
        number, template = entry.get("expression_id"), entry.get("template")
        if type(number) is not int or not isinstance(template, str):
            raise UserError(f"{where}: give an integer 'expression_id' and a text 'template'")
    if len({expression["expression_id"] for expression in expressions}) < len(expressions):
        raise UserError(f"{path}: every expression needs an expression_id of its own")
    return expressions


def _checked(record: object, known: Collection[str], where: str) -> Record:
    """Returns a mapping with no other keys than the known ones."""
    if not isinstance(record, dict):
        raise UserError(f"{where}: a mapping of keys to values was expected; see docs/")
    for key in record:
        if key not in known:
            raise UserError(f"{where}: unknown key {key!r}; {nearest(str(key), known)}")
    return record
