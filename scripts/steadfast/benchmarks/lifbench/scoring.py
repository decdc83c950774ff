"""Scoring: one answer by every rubric."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.gold import asked_depth
from steadfast.benchmarks.lifbench.own_tasks.calls import call
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.records import ASKED, Prompt
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.contract.components import Answer, Reply, Sample, Score, Scoring


class LifbenchScoring(Scoring):
    """Scores by the chosen rubric; others', but of own tasks, stand in ``other_raters``."""

    def __init__(self, rubric: str, own: Mapping[str, Settings] | None = None):
        self._rubric, self._own = rubric, own or {}

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        by_rubric = dict.fromkeys(RUBRICS, Score(answer.status))
        if answer.answered:
            found = self._scores(sample, answer.text)
            by_rubric = {name: replace(one, status=answer.status) for name, one in found.items()}
        chosen = by_rubric.pop(self._rubric)
        return replace(chosen, other_raters=by_rubric)

    def _scores(self, sample: Sample[Prompt], response: str) -> dict[str, Score]:
        prompt, context = sample.prompt, sample.source["context"]
        if own := self._own.get(prompt["task"]):
            return dict.fromkeys(RUBRICS, own_score(own, prompt, context, response))
        scenario = sample.source["scenario_prompt"]
        return {name: score(prompt, context, scenario, response, name) for name in RUBRICS}

    def facts(self, sample: Sample[Prompt]) -> Record:
        """Returns which expression and variables were asked, and where in the context."""
        prompt, task = sample.prompt, sample.prompt["task"]
        further: Settings = prompt
        own = self._own.get(task)
        draw = own["draw"] if own else TASKS[task].variables.draw
        return {
            "expression_id": prompt["expression_id"],
            "variable_id": prompt["variable_id"],
            "length": sample.part,
            "rubric": self._rubric,
            "depth": asked_depth(prompt, sample.source["context"], draw),
            **{name: further[name] for name in ASKED if name in further},
        }


def own_score(how: Settings, prompt: Prompt, context: Record, response: str) -> Score:
    """Scores an answer to a user's own task by its function and weights; a blank one has 0."""
    response, weights = response.strip(), how["weights"]
    points = dict.fromkeys(weights, 0.0)
    if response:
        given = call(how["scoring"], prompt["sample_id"], response, prompt, context)
        points = _shares(given, points, f"{how['scoring']}: of {prompt['sample_id']}")
    total = sum(points[name] * weight for name, weight in weights.items())
    return Score("ok", points, total / sum(weights.values()))


def _shares(given: object, names: Mapping[str, float], where: str) -> dict[str, float]:
    if not isinstance(given, Mapping) or given.keys() != names.keys():
        found = ", ".join(map(str, given)) if isinstance(given, Mapping) else type(given).__name__
        raise UserError(
            f"{where} it gives {found}; return a share for each of {', '.join(names)}, no other"
        )
    for name, share in given.items():
        if not isinstance(share, Real) or not 0 <= float(share) <= 1:
            raise UserError(
                f"{where} it gives {share!r} for {name}; return a number from 0 to 1, the share "
                "of the point's weight"
            )
    return {name: float(given[name]) for name in names}
