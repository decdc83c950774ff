"""Sentences about the data of a run: synthetic, local, or as published."""

from collections.abc import Mapping
from typing import Literal

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.engine_names import SIMULATED_ENGINES
from steadfast.contract.votes import MAJORITY
from steadfast.schema.model_base import BaseModelSettings

STRINGS = facts("data_notes.yaml")


def data_note(benchmark: str, source: Literal["synthetic", "local", "file", "released"]) -> str:
    """Returns the sentence about a benchmark's data."""
    return str(STRINGS["data"][source].format(benchmark=benchmark))


def prompts_note(
    benchmark: str,
    contexts: Literal["synthetic", "local", "hub", "released"],
    expressions: Literal["own", "released", "recs"],
) -> str:
    """Returns the sentence on prompts of long contexts, by where these and templates are from."""
    sentence: str = STRINGS["prompts"]
    return sentence.format(
        benchmark=benchmark,
        contexts=STRINGS["contexts"][contexts],
        expressions=STRINGS["expressions"][expressions],
        compares=STRINGS["same" if contexts == expressions == "released" else "other"],
    )


def scores_note(benchmark: str) -> str:
    """Returns the sentence where nothing is asked, and all scores are released ones."""
    return str(STRINGS["scored"].format(benchmark=benchmark))


def judged_otherwise(
    judges: Mapping[str, BaseModelSettings], paper: Settings, same_prompt: bool, count: str
) -> str:
    """Returns how a paper's printed numbers were judged in another way than a run's; else nothing.

    Args:
        judges: of the config; the first model among them makes the scores, else the first of all.
        paper: its ``judge``, as it names it, and ``judge_models``, the names that this is served
            under.
        same_prompt: whether the run's judge is asked with the paper's prompt.
        count: whose verdicts make the scores, as in the config.
    """
    name, judge = min(
        judges.items(), key=lambda one: one[1].engine in SIMULATED_ENGINES, default=("", None)
    )
    served = str(getattr(judge, "model", "")).rpartition("/")[2] if count != MAJORITY else ""
    ways = [] if served in paper["judge_models"] else ["judge"]
    ways += [] if same_prompt else ["prompt"]
    judge_name = STRINGS["majority"] if count == MAJORITY else judge.label or name if judge else ""
    slots = {"paper": paper["judge"], "judge": judge_name}
    named = (STRINGS["judged_ways"][way].format(**slots) for way in ways)
    return str(STRINGS["judged"].format(ways=", and ".join(named))) if ways else ""
