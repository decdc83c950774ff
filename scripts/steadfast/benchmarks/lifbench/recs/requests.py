"""Stage 1 of RECS: the instructions that are rewritten, and what every rewriter is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.expressions import own_expressions, released_expressions
from steadfast.benchmarks.lifbench.recs.checks import Direction, Original, request_id, rewritten
from steadfast.benchmarks.lifbench.recs.released import rewrites
from steadfast.judging.rewriting import rewriting_prompt

Source = Literal["own", "released"]


def base(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's hand-written expressions: released ones if ``templates`` is an input."""
    return (released_expressions if "templates" in inputs else own_expressions)(inputs, task)


def originals_of(
    inputs: Mapping[str, Path],
    task: Settings,
    directions: Sequence[int],
    source: Source,
    directory: str | None,
) -> dict[Direction, str]:
    """Returns the original template of each direction that is rewritten."""
    found: dict[Direction, str] = {}
    for direction in rewritten(task, directions):
        if source == "released" and direction != -1:
            found[direction] = rewrites(task["id"], directory).original
        elif source == "released" and "templates" not in inputs:
            raise UserError(
                "lifbench.recs.directions: the released rewrites have no original of direction -1; "
                "leave -1 out, or rewrite the project's own templates"
            )
        else:
            own = base(inputs, task)["expressions"]
            found[direction] = next(e["template"] for e in own if e["direction"] == direction)
    return found


def requests(
    inputs: Mapping[str, Path],
    tasks: Sequence[Settings],
    count: int,
    directions: Sequence[int],
    originals: Source = "own",
    directory: str | None = None,
) -> Iterator[Record]:
    """Yields one request a task and direction (section 3.3 and Figure 8), as judge prompts."""
    for task in tasks:
        found = originals_of(inputs, task, directions, originals, directory)
        for direction, text in found.items():
            keep = Original(task["id"], direction, text).keep
            yield asdict(rewriting_prompt(request_id(task["id"], direction), text, keep, count))
