"""Prompts of IFEval and IFBench in one shape, checked, wherever they come from."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl, read_jsonl_with_positions
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.ifeval.facts import RELEASED, SYNTHETIC
from steadfast.benchmarks.ifeval.library import check_library, library_verifier

LOCALLY = "set ifeval.source to local and ifeval.directory to a directory with {file}"


def sample(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """Yields the project's own prompts, of kinds that need no further package."""
    path = resource("ifeval/sample.jsonl")
    return (instance(SYNTHETIC, str(path), line) for line in read_jsonl(path))


def local(inputs: Mapping[str, Path], directory: str, sets: Sequence[str]) -> Iterator[Record]:
    """Yields the prompts of a directory's files, set by set, in their order."""
    lines = {}
    for name in sets:
        path = local_file(directory, name)
        numbered = ((number, record) for number, _, record in read_jsonl_with_positions(path))
        lines[name] = (str(path), numbered)
    return checked(lines)


def local_file(directory: str, name: str) -> Path:
    """Returns the file of a set in a directory: the first of its usual names that exists."""
    paths: list[Path] = [Path(directory) / file for file in RELEASED[name]["files"]]
    return next((path for path in paths if path.is_file()), paths[0])


def released(inputs: Mapping[str, Path], sets: Sequence[str]) -> Iterator[Record]:
    """Yields the prompts as published, fetched at pinned revisions."""
    lines = {}
    for name in sets:
        pinned = RELEASED[name]
        content = fetch(pinned, LOCALLY.format(file=pinned["files"][0]))
        numbered = enumerate(map(json.loads, content.splitlines()), start=1)
        lines[name] = (pinned["url"], numbered)
    return checked(lines)


def checked(sets: Mapping[str, tuple[str, Iterable[tuple[int, Any]]]]) -> Iterator[Record]:
    """Yields the prompts of each set, each with verifiers that can be built.

    Args:
        sets: by name their file or URL, for messages, and each line's number and JSON.

    Raises:
        UserError: a line is no prompt in the published schema, a key stands twice, or there is no
            verifier for an instruction.
    """
    records = []
    kinds: set[str] = set()
    for name, (file, lines) in sets.items():
        for number, line in lines:
            where = f"{file}:{number}"
            record = instance(name, where, line)
            records.append((where, record))
            kinds.update(instruction["kind"] for instruction in record["instructions"])
    # Before the first verifier is built: the message on a missing library says what to install.
    check_library(kinds)
    prompt_ids: set[str] = set()
    for where, record in records:
        if record["prompt_id"] in prompt_ids:
            raise UserError(f"{where}: the key of {record['prompt_id']} stands twice; correct one")
        prompt_ids.add(record["prompt_id"])
        for instruction in record["instructions"]:
            library_verifier(
                record["set"], instruction["kind"], instruction["kwargs"], record["prompt"]
            )
        yield record


def instance(name: str, where: str, line: Any) -> Record:
    """Returns a line of the published files in the shape that stages pass on.

    Raises:
        UserError: it is no prompt in the published schema.
    """
    try:
        key = line["key"]
        prompt = line["prompt"]
        kinds = line["instruction_id_list"]
        instructions = []
        for kind, arguments in zip(kinds, line["kwargs"], strict=True):
            # The published lines name all arguments of all kinds, those of others as null.
            kwargs = {name: value for name, value in arguments.items() if value is not None}
            instructions.append({"kind": kind, "kwargs": kwargs})
        if not (instructions and isinstance(prompt, str) and isinstance(key, str | int)):
            raise ValueError("key, prompt or instructions are missing")
        if not all(isinstance(kind, str) for kind in kinds):
            raise ValueError("an instruction's name is not a string")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{where}: no prompt with key, prompt, instruction_id_list and kwargs "
            f"({type(error).__name__}: {error}); take the file as published"
        ) from None
    record: Record = {
        "prompt_id": f"{name}/{key}",
        "set": name,
        "prompt": prompt,
        "instructions": instructions,
    }
    corrections: Settings = facts("ifeval/corrections.yaml").get(name, {}).get(str(key), {})
    if corrections:
        corrected = []
        for index, instruction in enumerate(instructions):
            corrected.append(corrections.get(str(index), instruction))
        record["corrected"] = corrected
    return record
