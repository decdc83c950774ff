"""Scoring: one answer by every rubric, and by a judge where one grades it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import expected, paper_tasks
from steadfast.benchmarks.lifbench.judge import grade
from steadfast.benchmarks.lifbench.records import FURTHER_FIELDS, Prompt
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.scored_tasks import JUDGE
from steadfast.contract.components import INVALID, MISSING, Answer, Reply, Sample, Score, Scoring
from steadfast.contract.votes import majority_vote


class LifbenchScoring(Scoring):
    """Scores by the chosen rubric; others' scores stand in ``other_raters``, a judge's too."""

    def __init__(self, rubric: str, judged: bool = False):
        self._rubric = rubric
        self._judged = judged

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        by_rubric = dict.fromkeys(RUBRICS, Score(answer.status))
        for rubric in RUBRICS if answer.answered else ():
            source = sample.source["context"], sample.source["scenario_prompt"]
            rating = score(sample.prompt, *source, answer.text, rubric)
            by_rubric[rubric] = replace(rating, status=answer.status)
        chosen = by_rubric.pop(self._rubric)
        others = by_rubric
        if self._judged:
            others = {**by_rubric, JUDGE: _graded(answer, verdicts.get(sample.id, MISSING))}
        return replace(chosen, other_raters=others)

    def majority(
        self, sample: Sample[Prompt], answer: Answer, verdicts: Sequence[Mapping[str, Reply]]
    ) -> Score:
        """The score with the judges' commonest grade; the rubrics' are the same with each."""
        scores = [self.score(sample, answer, replies) for replies in verdicts]
        total = majority_vote(score.other_raters[JUDGE].total for score in scores)
        return next(score for score in scores if score.other_raters[JUDGE].total == total)

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


def _graded(answer: Answer, reply: Reply) -> Score:
    if not answer.answered:
        return Score(answer.status)
    total = grade(reply.text, answer.text) if reply.answered else None
    return Score(INVALID) if total is None else Score(answer.status, total=total)
