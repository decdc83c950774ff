"""Stage 1 of RECS: the instructions that are rewritten, and what every rewriter is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.expressions import own_expressions, released_expressions
from steadfast.benchmarks.lifbench.recs import checks, released
from steadfast.judging.rewriting import rewriting_prompt

Source = Literal["own", "released"]


def base(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's hand-written expressions: released ones if ``templates`` is an input."""
    return (released_expressions if "templates" in inputs else own_expressions)(inputs, task)


def original_of(
    inputs: Mapping[str, Path], task: Settings, source: Source, directory: str | None
) -> str:
    """Returns the template of a task that is rewritten."""
    if source == "released":
        return released.rewrites(task["id"], directory).original
    direction = checks.rewritten(task)
    expressions = base(inputs, task)["expressions"]
    templates = [record["template"] for record in expressions if record["direction"] == direction]
    return str(templates[0])


def requests(
    inputs: Mapping[str, Path],
    tasks: Sequence[Settings],
    count: int,
    originals: Source = "own",
    directory: str | None = None,
) -> Iterator[Record]:
    """Yields one request a task (section 3.3 and Figure 8), as judge prompts."""
    for task in tasks:
        text = original_of(inputs, task, originals, directory)
        direction = checks.rewritten(task)
        keep = checks.Original(task["id"], direction, text).keep
        yield asdict(rewriting_prompt(checks.request_id(task["id"], direction), text, keep, count))
