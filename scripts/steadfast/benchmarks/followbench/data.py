"""FollowBench's groups: read, checked and brought into one shape, wherever they come from."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json
from steadfast.base.names import nearest
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.followbench.facts import (
    CATEGORIES,
    JUDGE,
    LANGUAGES,
    LEVELS,
    SLOT,
    string_list,
)

FIELDS = {
    "example_id": int,
    "category": str,
    "source": str,
    "level": int,
    "instruction": str,
    "target": str,
}
EXTRA = ("answer",)  # of English example records: not used, since it may span lines
PARTS_OF_MIXED = ("content", "format", "style")
WITH_TARGET = frozenset(facts("followbench/targets.yaml"))


@cache
def sources(category: str) -> dict[str, Settings]:
    """Returns task and rule, if any, of the sources of a category's groups (Table 1), by name."""
    tasks = facts("followbench/sources.yaml")[category]
    return {name: task for task in tasks for name in task["groups"]}


def scorer_of(language: str, category: str, source: str, example_id: int) -> str:
    """Returns what scores a group: a rule's name, or ``judge``."""
    rules = facts("followbench/groups.yaml")["rules"][language] if category == "format" else {}
    return str(rules.get(example_id, sources(category)[source].get("rule", JUDGE)))


def task_of(category: str, source: str, example_id: int) -> str:
    """Returns the task that Table 1 counts a group under."""
    tasks = facts("followbench/groups.yaml")["tasks"] if category == "format" else {}
    return str(tasks.get(example_id, sources(category)[source]["task"]))


def sample(inputs: Mapping[str, Path], language: str) -> list[Record]:
    """The project's own groups, with every scorer that some answer can pass."""
    return local(inputs, language, str(resource("followbench/sample")))


def local(inputs: Mapping[str, Path], language: str, directory: str) -> list[Record]:
    """The groups in a directory's files of a language, category by category, see ``checked``."""
    paths = local_files(directory, language)
    return checked_groups({name: (read_json(path), path) for name, path in paths.items()}, language)


def released(inputs: Mapping[str, Path], language: str) -> list[Record]:
    """Returns the groups of a language as published, fetched at the pinned revision."""
    pinned = facts("followbench/released.yaml")["files"][language]
    alternative = (
        "set followbench.source to local and followbench.directory to a directory with the "
        f"released files in {' and '.join(LANGUAGES)}"
    )
    read = {}
    for category, url in zip(CATEGORIES, addresses(language), strict=True):
        read[category] = json.loads(fetch({"url": url, **pinned[category]}, alternative)), url
    return checked_groups(read, language)


def addresses(language: str) -> tuple[str, ...]:
    """Returns where the file of each category is fetched from."""
    pinned = facts("followbench/released.yaml")
    names = {"folder": pinned["folders"][language]}
    return tuple(
        pinned["url"].format(**pinned | names, file=f"{category}_constraints.json")
        for category in CATEGORIES
    )


def programs() -> dict[str, Settings]:
    """Returns the ``url`` of each language's released program; its template has the same name."""
    pinned = facts("followbench/released.yaml")
    names = {"file": pinned["judge"]["file"]}
    return {
        language: {"url": pinned["url"].format(**pinned | names | {"folder": folder})}
        for language, folder in pinned["judge"]["folders"].items()
    }


def checked_groups(read: Mapping[str, tuple[object, str]], language: str) -> list[Record]:
    """Returns the checked groups of all categories' records, with what their files are called."""
    return [
        group
        for category, (records, where) in read.items()
        for group in checked(records, language, category, where)
    ]


def local_files(directory: Path | str, language: str) -> dict[str, str]:
    """The file of each category in a directory with en/ and zh/, or with data/ and data_zh/."""
    own = Path(directory) / facts("followbench/released.yaml")["folders"][language]
    folder = own if own.is_dir() else Path(directory) / language
    return {category: str(folder / f"{category}_constraints.json") for category in CATEGORIES}


def checked(records: object, language: str, category: str, where: str) -> list[Record]:
    """Returns the groups of one file, in the order in which they begin, each with all its levels.

    Each has context_id, language, category, example_id, source, task, scorer (a rule's name or
    ``judge``), start (the instruction without constraints; empty where there is none) and levels:
    for each of 1 to 5 instruction and target.
    """
    if not isinstance(records, list) or not records:
        raise UserError(f"{where}: a list of records was expected; take the file as released")
    groups: dict[int, dict[int, Record]] = {}
    for number, record in enumerate(records, start=1):
        if problem := _problem(record, category):
            raise UserError(f"{where}: record {number}: {problem}")
        levels = groups.setdefault(record["example_id"], {})
        if record["level"] in levels:
            raise UserError(
                f"{where}: group {record['example_id']} has level {record['level']} twice; "
                "leave one of them out"
            )
        levels[record["level"]] = record
    return [
        _group(levels, language, category, f"{where}: group {example_id}")
        for example_id, levels in groups.items()
    ]


def _problem(record: object, category: str) -> str:
    """Returns what is wrong with a record; empty if nothing is."""
    if not isinstance(record, dict):
        return "this is no object; mend or remove it"
    for name, kind in FIELDS.items():
        if name not in record:
            return f"field {name!r} is missing; add it, as released"
        if not isinstance(record[name], kind) or isinstance(record[name], bool):
            return f"field {name!r} must be a {'text' if kind is str else 'whole number'}; mend it"
    for name in record:
        if name not in FIELDS and name not in EXTRA:
            return f"unknown field {name!r}; {nearest(name, FIELDS)}"
    level, found, source = record["level"], record["category"], record["source"]
    lowest = 1 if category == "example" else 0
    if not lowest <= level <= LEVELS[-1]:
        return f"level {level} is not one of {lowest} to {LEVELS[-1]}; mend it"
    if level and not record["instruction"].strip():
        return "the instruction is empty; add it"
    names = found.split(", ")  # in mixed the kind of each constraint, else the category
    of_constraints = len(names) == level and set(names) <= set(PARTS_OF_MIXED)
    if not (of_constraints if category == "mixed" and level else found == category):
        return f"category {found!r} does not belong to level {level} of {category} constraints"
    if source not in sources(category):
        return f"unknown source {source!r}; {nearest(source, sources(category))}"
    return ""


def _group(levels: dict[int, Record], language: str, category: str, where: str) -> Record:
    first = next(iter(levels.values()))
    example_id, source = first["example_id"], first["source"]
    scorer = scorer_of(language, category, source, example_id)
    for level in LEVELS if category == "example" else (0, *LEVELS):
        if level not in levels:
            raise UserError(f"{where} lacks level {level}; add it, or leave the group out")
        if levels[level]["source"] != source:
            raise UserError(f"{where} has two sources at level {level}; give it one")
        if level and (problem := _target_problem(scorer, levels[level]["target"])):
            raise UserError(f"{where}, level {level}: the target {problem}")
    return {
        "context_id": f"{language}/{category}/{example_id}",
        "language": language,
        "category": category,
        "example_id": example_id,
        "source": source,
        "task": task_of(category, source, example_id),
        "scorer": scorer,
        "start": levels[0]["instruction"] if 0 in levels else "",
        "levels": [
            {key: levels[level][key] for key in ("instruction", "target")} for level in LEVELS
        ],
    }


def _target_problem(scorer: str, target: str) -> str:
    if not target and scorer in WITH_TARGET:
        return "is empty, which its rule needs; add it"
    if scorer == "member" and not string_list(target):
        return "is no list of texts, such as ['a', 'b']; mend it"
    if scorer == "template" and target.count(SLOT) != 1:
        return f"must have {SLOT} once; mend it"
    return ""
