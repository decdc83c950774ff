"""Scores answers to the user's own tasks, by the functions that these name."""

from collections.abc import Mapping
from numbers import Real

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.own_tasks.calls import call
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.contract.components import Score


def own_score(how: Settings, prompt: Prompt, context: Record, response: str) -> Score:
    """Scores an answer to a task of the user's own by its function and weights (equation 2).

    A blank answer has 0. The function must not change the context.
    """
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
