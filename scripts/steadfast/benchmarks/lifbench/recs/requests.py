"""Stage 1 of RECS: what every rewriter is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.recs.checks import Original
from steadfast.benchmarks.lifbench.recs.originals import Source, originals_of, request_id
from steadfast.judging.rewriting.asking import rewriting_prompt


def requests(
    inputs: Mapping[str, Path],
    tasks: Sequence[Settings],
    count: int,
    directions: Sequence[int],
    originals: Source = "own",
    directory: str | None = None,
) -> Iterator[Record]:
    """Yields one request a task and direction (paper, section 3.3 and Figure 8; wording our own).

    These are judge prompts as records, with the original in place of an answer.
    """
    for task in tasks:
        found = originals_of(inputs, task, directions, originals, directory)
        for direction, text in found.items():
            keep = Original(task["id"], direction, text).keep
            yield asdict(rewriting_prompt(request_id(task["id"], direction), text, keep, count))
