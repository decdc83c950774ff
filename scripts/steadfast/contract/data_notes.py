"""Notes on the data of a run: synthetic, local, or as published."""

from collections.abc import Mapping
from typing import Literal

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.engine_names import SIMULATED_ENGINES
from steadfast.contract.votes import MAJORITY
from steadfast.schema.model_base import BaseModelSettings

STRINGS = facts("data_notes.yaml")


def data_note(benchmark: str, source: Literal["synthetic", "local", "file", "released"]) -> str:
    """The note on a benchmark's data."""
    return str(STRINGS["data"][source].format(benchmark=benchmark))


def prompts_note(
    benchmark: str,
    contexts: Literal["synthetic", "local", "hub", "released"],
    expressions: Literal["own", "released", "recs"],
) -> str:
    """The note on long-context prompts, by the sources of contexts and templates."""
    sentence: str = STRINGS["prompts"]
    return sentence.format(
        benchmark=benchmark,
        contexts=STRINGS["contexts"][contexts],
        expressions=STRINGS["expressions"][expressions],
        compares=STRINGS["same" if contexts == expressions == "released" else "other"],
    )


def scores_note(benchmark: str) -> str:
    """The note of a run with released scores only."""
    return str(STRINGS["scored"].format(benchmark=benchmark))


def judging_note(
    judges: Mapping[str, BaseModelSettings], paper: Settings, same_prompt: bool, count: str
) -> str:
    """The note on how judging differs from that of the paper's numbers; empty if it does not.

    Args:
        judges: of the config; the first LLM judge makes the scores, else the first judge.
        paper: ``judge``, its judge's name in the paper, and ``judge_models``, the judge's names in
            APIs.
        same_prompt: whether the run's judge has the paper's prompt.
        count: whose verdicts make the scores, as in the config.
    """
    name, judge = min(
        judges.items(), key=lambda item: item[1].engine in SIMULATED_ENGINES, default=("", None)
    )
    model = ""
    label = ""
    if count == MAJORITY:
        label = STRINGS["majority"]
    elif judge:
        model = str(getattr(judge, "model", ""))
        label = judge.label or name
    slots = {"paper": paper["judge"], "judge": label}
    differences: list[str] = []
    if model.rpartition("/")[2] not in paper["judge_models"]:
        differences.append(STRINGS["judged_ways"]["judge"].format(**slots))
    if not same_prompt:
        differences.append(STRINGS["judged_ways"]["prompt"].format(**slots))
    if not differences:
        return ""
    return str(STRINGS["judged"].format(ways=", and ".join(differences)))
