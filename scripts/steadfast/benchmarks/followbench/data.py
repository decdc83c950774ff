"""FollowBench's groups, checked and in one shape wherever they come from, and their prompts."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json
from steadfast.base.names import suggestion
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.followbench import facts as followbench
from steadfast.config.validation_errors import checked_records
from steadfast.contract.components import Data
from steadfast.schema.strict import StrictModel

PARTS_OF_MIXED = ("content", "format", "style")
WITH_TARGET = frozenset(facts("followbench/targets.yaml"))


class LevelRecord(StrictModel):
    """A level of a group, as released, checked against the category of its file."""

    example_id: int  # of the group
    category: str  # of the file; in mixed the kind of each constraint
    source: str
    level: int = Field(ge=0, le=followbench.LEVELS[-1])
    instruction: str
    target: str
    answer: object = None  # of English example records: not used, since it may span lines

    @model_validator(mode="after")
    def _belongs_to_its_file(self, info: ValidationInfo) -> Self:
        category = str(info.context)
        if category == "example" and self.level == 0:
            raise ValueError(f"level 0 is not one of 1 to {followbench.LEVELS[-1]}; correct it")
        if self.level and not self.instruction.strip():
            raise ValueError("the instruction is empty; add it")
        kinds = self.category.split(", ")
        if category == "mixed" and self.level:
            fits = len(kinds) == self.level and set(kinds) <= set(PARTS_OF_MIXED)
        else:
            fits = self.category == category
        if not fits:
            raise ValueError(
                f"category {self.category[:60]!r} does not belong to level {self.level} of "
                f"{category} constraints"
            )
        if self.source not in sources(category):
            shown = self.source[:60]
            hint = suggestion(shown, sources(category))
            raise ValueError(f"unknown source {shown!r}; {hint}")
        return self


@cache
def sources(category: str) -> dict[str, Settings]:
    """Returns the sources of a category's groups (Table 1), by name, with task and any rule."""
    by_name: dict[str, Settings] = {}
    for task in facts("followbench/sources.yaml")[category]:
        by_name |= dict.fromkeys(task["groups"], task)
    return by_name


def scorer_of(language: str, category: str, source: str, example_id: int) -> str:
    """Returns what scores a group: a rule's name, or ``judge``."""
    rules = facts("followbench/groups.yaml")["rules"][language] if category == "format" else {}
    return str(rules.get(example_id, sources(category)[source].get("rule", followbench.JUDGE)))


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
        f"released files in {' and '.join(followbench.LANGUAGES)}"
    )
    read = {}
    for category, url in zip(followbench.CATEGORIES, addresses(language), strict=True):
        read[category] = json.loads(fetch({"url": url, **pinned[category]}, alternative)), url
    return checked_groups(read, language)


def addresses(language: str) -> tuple[str, ...]:
    """Returns where the file of each category is fetched from."""
    pinned = facts("followbench/released.yaml")
    names = {"folder": pinned["folders"][language]}
    files = [f"{category}_constraints.json" for category in followbench.CATEGORIES]
    return tuple(pinned["url"].format(**pinned | names, file=file) for file in files)


def programs() -> dict[str, Settings]:
    """Returns the ``url`` of each language's released program; its template has the same name."""
    pinned = facts("followbench/released.yaml")
    programs: dict[str, Settings] = {}
    for language, folder in pinned["judge"]["folders"].items():
        names = {"file": pinned["judge"]["file"], "folder": folder}
        programs[language] = {"url": pinned["url"].format(**pinned | names)}
    return programs


def checked_groups(read: Mapping[str, tuple[object, str]], language: str) -> list[Record]:
    """Returns the checked groups of all categories, given the records and name of each file."""
    groups: list[Record] = []
    for category, (records, where) in read.items():
        groups += checked(records, language, category, where)
    return groups


def local_files(directory: Path | str, language: str) -> dict[str, str]:
    """The file of each category in a directory with en/ and zh/, or with data/ and data_zh/."""
    language_folder = Path(directory) / facts("followbench/released.yaml")["folders"][language]
    folder = language_folder if language_folder.is_dir() else Path(directory) / language
    categories = followbench.CATEGORIES
    return {category: str(folder / f"{category}_constraints.json") for category in categories}


def checked(records: object, language: str, category: str, where: str) -> list[Record]:
    """Returns the groups of one file, in the order in which they begin, each with all its levels.

    Each has context_id, language, category, example_id, source, task, scorer (a rule's name or
    ``judge``), start (the instruction without constraints, or empty) and levels: instruction and
    target of levels 1 to 5.
    """
    key = ["example_id", "level"]
    page = "docs/followbench.md"
    groups: dict[int, dict[int, LevelRecord]] = {}
    for record in checked_records(LevelRecord, records, where, page, key, category):
        groups.setdefault(record.example_id, {})[record.level] = record
    complete = []
    for example_id, levels in groups.items():
        complete.append(_group(levels, language, category, f"{where}: group {example_id}"))
    return complete


def _group(levels: dict[int, LevelRecord], language: str, category: str, where: str) -> Record:
    first = next(iter(levels.values()))
    scorer = scorer_of(language, category, first.source, first.example_id)
    scored_levels = []
    for level in followbench.LEVELS if category == "example" else (0, *followbench.LEVELS):
        if level not in levels:
            raise UserError(f"{where} lacks level {level}; add it, or remove the group")
        if levels[level].source != first.source:
            raise UserError(f"{where} has two sources at level {level}; keep one")
        if level and (problem := _target_problem(scorer, levels[level].target)):
            raise UserError(f"{where}, level {level}: the target {problem}")
        if level:
            scored_levels.append(levels[level].model_dump(include={"instruction", "target"}))
    return {
        "context_id": f"{language}/{category}/{first.example_id}",
        "language": language,
        "category": category,
        "example_id": first.example_id,
        "source": first.source,
        "task": task_of(category, first.source, first.example_id),
        "scorer": scorer,
        "start": levels[0].instruction if 0 in levels else "",
        "levels": scored_levels,
    }


def _target_problem(scorer: str, target: str) -> str:
    if not target and scorer in WITH_TARGET:
        return "is empty, which its rule needs; add it"
    if scorer == "member" and not followbench.string_list(target):
        return "is not a list of strings, such as ['a', 'b']; correct it"
    if scorer == "template" and target.count(followbench.SLOT) != 1:
        return f"must have {followbench.SLOT} once; correct it"
    return ""


MAX_TOKENS = 2048  # section 4.1


def prompts(part: str, data: Data) -> Iterator[Record]:
    """Yields the instructions of a language, group by group; level 0 is no prompt."""
    for group in data["data"][part]:
        for level in followbench.LEVELS:
            yield {
                "sample_id": f"{group['context_id']}/{level}",
                "task": group["category"],
                "context_id": group["context_id"],
                "level": level,
                "source": group["source"],
                "scorer": group["scorer"],
                "instruction": group["levels"][level - 1]["instruction"],
                "max_tokens": MAX_TOKENS,
            }
