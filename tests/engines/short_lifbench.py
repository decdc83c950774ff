"""A short LIFBench: all eleven tasks on synthetic text, in the folders of its jobs."""

from pathlib import Path
from typing import Any

from prepared import Prepared
from steadfast.base.files import read_json, read_jsonl, write_json, write_jsonl


def config(lengths: dict[str, int], **section: Any) -> dict[str, Any]:
    """A config with these lengths, and other keys of LIFBench's section."""
    lifbench = {"lengths": lengths, **section}
    return {"lifbench": lifbench, "models": {"reference": {"engine": "reference"}}}


def build(
    folder: Path,
    lengths: dict[str, int],
    expressions: int | None = 1,
    most_output: int | None = None,
    **section: Any,
) -> Prepared:
    """LIFBench's data and prompts in the results below a folder.

    Args:
        expressions: of each task; None: all of them.
        most_output: a lower output limit than the tasks' own, in tokens, to save time.
    """
    built = Prepared(config(lengths, **section), folder / "results")
    built.make_data()
    for path in sorted((built.folder / "expressions").glob("*.json")):
        data = read_json(path)
        write_json(path, data | {"expressions": data["expressions"][:expressions]})
    built.write_prompts()
    for length in lengths if most_output else ():
        records = list(read_jsonl(built.prompts(length)))
        for record in records:
            record["max_tokens"] = min(record["max_tokens"], most_output)
        write_jsonl(built.prompts(length), records)
    return built
