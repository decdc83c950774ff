"""Prompts: the instructions of levels 1 to 5, each a single user turn as it stands."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl, write_jsonl
from steadfast.followbench.facts import LEVELS

MAX_TOKENS = 2048  # section 4.1

Sources = Mapping[str, Mapping[str, Path]]


def write_prompts(part: str, sources: Sources, out: Path) -> None:
    """Writes the prompts of one language, group by group; level 0 is never asked.

    Args:
        part: the language.
        sources: ``data``: the groups' file by language.
        out: JSON lines.

    Raises:
        UserError: there is no data of that language, or it is damaged.
    """
    write_jsonl(
        out, (prompt for group in read_jsonl(_data(part, sources)) for prompt in _of(group))
    )


def _data(part: str, sources: Sources) -> Path:
    if part not in sources["data"]:
        raise UserError(f"followbench: no data for the language {part!r}; add it to the languages")
    return sources["data"][part]


def _of(group: Record) -> Iterator[Record]:
    for level in LEVELS:
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


def load_part(prompts: Path, sources: Sources) -> Iterator[tuple[Record, Record]]:
    """Each prompt with its group, in the file's order.

    Raises:
        UserError: a prompt names a group that the data does not have.
    """
    groups = {
        group["context_id"]: group
        for path in sources["data"].values()
        for group in read_jsonl(path)
    }
    for prompt in read_jsonl(prompts):
        if prompt["context_id"] not in groups:
            raise UserError(
                f"{prompts}: the group {prompt['context_id']!r} of {prompt['sample_id']} is not "
                "in the data; write the prompts again"
            )
        yield prompt, groups[prompt["context_id"]]


def target(prompt: Record, group: Record) -> str:
    """The reference of a prompt's level; empty where there is none."""
    return group["levels"][prompt["level"] - 1]["target"]
