"""Scoring: one answer by every rubric."""

from collections.abc import Mapping
from dataclasses import replace

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import expected, paper_tasks
from steadfast.benchmarks.lifbench.records import FURTHER_FIELDS, Prompt
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.contract.components import Answer, Reply, Sample, Score, Scoring


class LifbenchScoring(Scoring):
    """Scores by the chosen rubric; others' scores stand in ``other_raters``."""

    def __init__(self, rubric: str):
        self._rubric = rubric

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        by_rubric = dict.fromkeys(RUBRICS, Score(answer.status))
        for rubric in RUBRICS if answer.answered else ():
            source = sample.source["context"], sample.source["scenario_prompt"]
            rating = score(sample.prompt, *source, answer.text, rubric)
            by_rubric[rubric] = replace(rating, status=answer.status)
        chosen = by_rubric.pop(self._rubric)
        return replace(chosen, other_raters=by_rubric)

    def facts(self, sample: Sample[Prompt]) -> Record:
        """Returns a sample's expression and variables, and its target's position in the context."""
        prompt = sample.prompt
        further: Settings = prompt
        sampling = paper_tasks.TASKS[prompt["task"]].sampling
        return {
            "expression_id": prompt["expression_id"],
            "variable_id": prompt["variable_id"],
            "length": sample.part,
            "rubric": self._rubric,
            "depth": expected.target_depth(prompt, sample.source["context"], sampling),
            **{name: further[name] for name in ("family", *FURTHER_FIELDS) if name in further},
        }
