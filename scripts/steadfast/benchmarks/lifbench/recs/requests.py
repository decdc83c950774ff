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
    """One request a task and direction (paper, section 3.3 and Figure 8; wording our own).

    Args:
        inputs: ``templates``, the released tasks.json, where direction -1 of it is rewritten.
        tasks: each as ``originals.rewritten`` takes it.
        count: rewrites that are asked for.
        directions: 1 and -1: those rewritten of the tasks that have some.
        originals: ``own``, the first own template of each; ``released``, the authors'.
        directory: of the released files; None fetches them.

    Returns:
        Judge prompts as records (``contract.components.JudgePrompt``), the original in place of an
        answer.

    Raises:
        UserError: an original is missing.
    """
    for task in tasks:
        found = originals_of(inputs, task, directions, originals, directory)
        for direction, text in found.items():
            keep = Original(task["id"], direction, text).keep
            yield asdict(rewriting_prompt(request_id(task["id"], direction), text, keep, count))
