"""What tables say of the text that was asked: synthetic, one's own, or as published."""

from typing import Literal

from steadfast.base.resources import facts

WORDS = facts("asked.yaml")


def data_asked(benchmark: str, source: Literal["synthetic", "local", "released"]) -> str:
    """The sentence about a benchmark's data.

    Example:
        >>> data_asked("CFBench", "released")
        'CFBench is the released data here.'
    """
    return WORDS["data"][source].format(benchmark=benchmark)


def prompts_asked(
    benchmark: str,
    contexts: Literal["synthetic", "local", "hub", "released"],
    expressions: Literal["own", "released", "recs"],
) -> str:
    """The sentence about prompts of long contexts.

    Args:
        benchmark: its title.
        contexts: what they are built from; released: they are the published ones.
        expressions: where the instructions' templates are from.
    """
    return WORDS["prompts"].format(
        benchmark=benchmark,
        contexts=WORDS["contexts"][contexts],
        expressions=WORDS["expressions"][expressions],
        compares=WORDS["same" if contexts == expressions == "released" else "other"],
    )


def scores_asked(benchmark: str) -> str:
    """The sentence where nothing is asked, and all scores are released ones."""
    return WORDS["scored"].format(benchmark=benchmark)
