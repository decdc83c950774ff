"""Scoring: one answer by every rubric."""

from collections.abc import Mapping
from dataclasses import replace

from steadfast.components import Answer, Reply, Sample, Score, Scoring
from steadfast.files import Record
from steadfast.lifbench.gold import fields
from steadfast.lifbench.perspectives import ASKED
from steadfast.lifbench.rubric import RUBRICS, score

POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")  # tasks with one reference position


class LifbenchScoring(Scoring):
    """The chosen rubric makes the score; what every other one gives stands under ``other_raters``.

    Args:
        rubric: the chosen one, a key of ``RUBRICS``.
    """

    def __init__(self, rubric: str):
        self._rubric = rubric

    def score(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Points and total by the rubrics; none without an answer."""
        by_rubric = dict.fromkeys(RUBRICS, Score(answer.status))
        if answer.answered:
            context, scenario = sample.source["context"], sample.source["scenario_prompt"]
            for rubric in RUBRICS:
                found = score(sample.prompt, context, scenario, answer.text, rubric)
                by_rubric[rubric] = replace(found, status=answer.status)
        chosen = by_rubric.pop(self._rubric)
        return replace(chosen, other_raters=by_rubric)

    def facts(self, sample: Sample) -> Record:
        """Which expression and variables were asked, and where in the context."""
        return {
            "expression_id": sample.prompt["expression_id"],
            "variable_id": sample.prompt["variable_id"],
            "length": sample.part,
            "rubric": self._rubric,
            "depth": asked_depth(sample.prompt, sample.source["context"]),
            **{name: sample.prompt[name] for name in ASKED if name in sample.prompt},
        }


def asked_depth(prompt: Record, context: Record) -> float | None:
    """Where in its context the thing asked for stands, from 0 (start) to 1 (end).

    Of a list task, the reference element's place among the elements; of OQ, the evidence's among
    the characters. None where there is no one place, or the evidence is not in the text.

    >>> prompt = {"task": "LSI", "variables": {"id": 2}, "gold": {"element": "b"}}
    >>> asked_depth(prompt, {"elements": ["a", "b", "c"]})
    0.5
    """
    given, task = fields(prompt), prompt["task"]
    if task in POSITIONAL:
        return float(given["id"] - 1) / max(1, len(context["elements"]) - 1)
    if task != "OQ":
        return None
    place = context["text"].find(given["evidence"].strip())
    return place / len(context["text"]) if place >= 0 and context["text"] else None
