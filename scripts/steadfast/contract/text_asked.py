"""What tables say of the text that was asked: synthetic, one's own, or as published."""

from typing import Literal

from steadfast.base.resources import facts

WORDS = facts("asked.yaml")


def data_asked(benchmark: str, source: Literal["synthetic", "local", "file", "released"]) -> str:
    """Returns the sentence about a benchmark's data."""
    sentence: str = WORDS["data"][source]
    return sentence.format(benchmark=benchmark)


def prompts_asked(
    benchmark: str,
    contexts: Literal["synthetic", "local", "hub", "released"],
    expressions: Literal["own", "released", "recs"],
) -> str:
    """Returns the sentence on prompts of long contexts, by where these and templates are from."""
    sentence: str = WORDS["prompts"]
    return sentence.format(
        benchmark=benchmark,
        contexts=WORDS["contexts"][contexts],
        expressions=WORDS["expressions"][expressions],
        compares=WORDS["same" if contexts == expressions == "released" else "other"],
    )


def scores_asked(benchmark: str) -> str:
    """Returns the sentence where nothing is asked, and all scores are released ones."""
    sentence: str = WORDS["scored"]
    return sentence.format(benchmark=benchmark)
