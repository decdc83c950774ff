"""FollowBench's groups: read, checked and brought into one shape, wherever they come from."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from steadfast.config.names import nearest
from steadfast.errors import UserError
from steadfast.files import Record, read_json, write_jsonl
from steadfast.followbench import facts
from steadfast.followbench.facts import CATEGORIES, JUDGE, LANGUAGES, LEVELS
from steadfast.followbench.literals import string_list
from steadfast.followbench.rules.targets import SLOT

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
WITHOUT_TARGET = ("cnn_dailymail", "xsum", "samsum", "gigaword", "arxiv")
WITHOUT_TARGET += ("wooden_table", "ministerial_speech", JUDGE)


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the groups of a language, checked and in one shape, category by category.

    Args:
        settings: ``source`` (synthetic, local or released), ``directory`` for local, ``groups``
            and ``seed`` for synthetic.
        language: en or zh.
        out: JSON lines, see ``checked``.

    Raises:
        UserError: the data is missing, damaged or not the released one.
    """
    match settings["source"]:
        case "local":
            paths = local_files(settings["directory"], language)
            read = {category: (read_json(path), path) for category, path in paths.items()}
        case "released":
            read = {category: _released(language, category) for category in CATEGORIES}
        case _:
            from steadfast.followbench.synthetic import records

            made = records(language, settings["groups"], settings["seed"])
            read = {category: (made[category], "synthetic data") for category in CATEGORIES}
    groups = {
        category: checked(records, language, category, where)
        for category, (records, where) in read.items()
    }
    if settings["source"] == "released":
        for category, found in groups.items():
            check_counts(found, language, category, read[category][1])
    write_jsonl(out, [group for found in groups.values() for group in found])


def local_files(directory: Path | str, language: str) -> dict[str, str]:
    """The file of each category in a directory with en/ and zh/, or with data/ and data_zh/."""
    own = Path(directory) / facts.facts("released")["folders"][language]
    folder = own if own.is_dir() else Path(directory) / language
    return {category: str(folder / f"{category}_constraints.json") for category in CATEGORIES}


def _released(language: str, category: str) -> tuple[Any, str]:
    from steadfast.pinned import fetch

    pinned = facts.facts("released")
    url = pinned["url"].format(
        repository=pinned["repository"],
        commit=pinned["commit"],
        folder=pinned["folders"][language],
        file=f"{category}_constraints.json",
    )
    alternative = (
        "set followbench.source to local and followbench.directory to a directory with the "
        f"released files in {' and '.join(LANGUAGES)}"
    )
    return json.loads(fetch({"url": url, **pinned["files"][language][category]}, alternative)), url


def checked(records: Any, language: str, category: str, where: str) -> list[Record]:
    """The groups of one file, in the order in which they begin, each with all its levels.

    Args:
        records: what the file holds: a list of records in the released shape.
        language: en or zh.
        category: the file's.
        where: its name, for the error's sentence.

    Returns:
        context_id, language, category, example_id, source, task, scorer (a rule's name or
        ``judge``), start (the instruction without constraints; empty where there is none) and
        levels: for each of 1 to 5 instruction and target.

    Raises:
        UserError: a field or level is missing or unknown, or a value is none that FollowBench
            has; the sentence names group and level.
    """
    if not isinstance(records, list) or not records:
        raise UserError(f"{where}: a list of records was expected; take the file as released")
    groups: dict[int, dict[int, Record]] = {}
    for number, record in enumerate(records, start=1):
        _check_fields(record, category, f"{where}: record {number}")
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


def _check_fields(record: Any, category: str, where: str) -> None:
    if not isinstance(record, dict):
        raise UserError(f"{where} is no object; mend or remove it")
    for name, kind in FIELDS.items():
        if name not in record:
            raise UserError(f"{where}: field {name!r} is missing; add it, as released")
        if not isinstance(record[name], kind) or isinstance(record[name], bool):
            what = "a text" if kind is str else "a whole number"
            raise UserError(f"{where}: field {name!r} must be {what}; mend it")
    for name in record:
        if name not in FIELDS and name not in EXTRA:
            raise UserError(f"{where}: unknown field {name!r}; {nearest(name, FIELDS)}")
    lowest = 1 if category == "example" else 0
    if not lowest <= record["level"] <= LEVELS[-1]:
        raise UserError(
            f"{where}: level {record['level']} is not one of {lowest} to {LEVELS[-1]}; mend it"
        )
    if record["level"] and not record["instruction"].strip():
        raise UserError(f"{where}: the instruction is empty; add it")
    if not _is_category(record["category"], category, record["level"]):
        raise UserError(
            f"{where}: category {record['category']!r} does not belong to level "
            f"{record['level']} of {category} constraints; mend it"
        )
    known = facts.sources(category)
    if record["source"] not in known:
        raise UserError(
            f"{where}: unknown source {record['source']!r}; {nearest(record['source'], known)}"
        )


def _is_category(found: str, category: str, level: int) -> bool:
    """Whether a record names its category, or in mixed the kind of each constraint."""
    if category != "mixed" or level == 0:
        return found == category
    names = found.split(", ")
    return len(names) == level and set(names) <= set(PARTS_OF_MIXED)


def _group(levels: dict[int, Record], language: str, category: str, where: str) -> Record:
    first = next(iter(levels.values()))
    example_id, source = first["example_id"], first["source"]
    expected = LEVELS if category == "example" else (0, *LEVELS)
    for level in expected:
        if level not in levels:
            raise UserError(f"{where} lacks level {level}; add it, or leave the group out")
        if levels[level]["source"] != source:
            raise UserError(f"{where} has two sources at level {level}; give it one")
    scorer = facts.scorer(language, category, source, example_id)
    for level in LEVELS:
        _check_target(scorer, levels[level]["target"], f"{where}, level {level}")
    return {
        "context_id": f"{language}/{category}/{example_id}",
        "language": language,
        "category": category,
        "example_id": example_id,
        "source": source,
        "task": facts.task(category, source, example_id),
        "scorer": scorer,
        "start": levels[0]["instruction"] if 0 in levels else "",
        "levels": [
            {key: levels[level][key] for key in ("instruction", "target")} for level in LEVELS
        ],
    }


def _check_target(scorer: str, target: str, where: str) -> None:
    if scorer in WITHOUT_TARGET:
        return
    if not target:
        raise UserError(f"{where}: the target is empty, which its rule needs; add it")
    if scorer == "member" and not string_list(target):
        raise UserError(f"{where}: the target is no list of texts, such as ['a', 'b']; mend it")
    if scorer == "template" and target.count(SLOT) != 1:
        raise UserError(f"{where}: the target must have {SLOT} once; mend it")


def check_counts(groups: Iterable[Record], language: str, category: str, where: str) -> None:
    """Compares the groups of each source with those released (Table 1; ``sources.yaml``).

    Raises:
        UserError: a number differs; the sentence names the source and both numbers.
    """
    found = [group["source"] for group in groups]
    for name, source in facts.sources(category).items():
        if found.count(name) != source.groups[language]:
            raise UserError(
                f"{where}: {found.count(name)} groups of {name}, not {source.groups[language]}; "
                "fetch the released file again, or use followbench.source local for your own data"
            )
