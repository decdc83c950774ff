"""The state of an adaptive run, from the decisions in its results.

After each round a decision lists the models that go on; it records the input digest of the scores
that it was made from. A run follows the decisions that match its config, one after the other, and
evaluates the round after the last of them. So it continues where it stopped, and a decision whose
scores changed is made again, from cached responses.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json, read_json
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests, Step
from steadfast.stats import FIRST_LOOK

# The fields of a decision.
TYPES = {
    "input_digest": str, "goes_on": list, "design": dict, "decided_by": dict, "models": dict,
    "looks": list,
}  # fmt: skip
ASIDE = "restore the setting, or choose another results folder (pathvars.results)"


def decision_file(benchmark: str, rounds: int) -> str:
    """The path of the decision after some rounds, below the results folder."""
    return f"{benchmark}/decisions/{rounds}.json"


def follow_decisions(run: Evaluation, results: Path) -> None:
    """Sets the number of rounds in which each model of an adaptive run is evaluated by now.

    Raises:
        UserError: the design differs from that of a decision already made, or there is only one
            model.
    """
    for name in run.running:
        decisions = sorted((results / name / "decisions").glob("*.json"))
        for decision in filter(None, map(_read, decisions)):
            _check_design(run, results, name, decision)
        if run.config.adaptive is None:
            continue
        compared = run.compared(name)
        if len(compared) < 2:
            raise UserError(
                f"config: adaptive: an adaptive run compares at least two models, {name} has "
                f"{len(compared)}; add models, or remove adaptive"
            )
        rounds = dict.fromkeys(run.evaluated_models(name), FIRST_LOOK)
        run.rounds[name] = rounds
        while continuing := continuing_models(run, results, name):
            for model in rounds:
                if model in continuing or model not in compared:
                    rounds[model] += 1


def last_round(run: Evaluation, benchmark: str) -> int:
    """The round that a benchmark is in."""
    return max(run.rounds[benchmark].values())


def continuing_models(run: Evaluation, results: Path, benchmark: str) -> list[str] | None:
    """The models that go on after a benchmark's current round; None where it is undecided."""
    if benchmark not in run.rounds:
        return None
    decision = _read(results / decision_file(benchmark, last_round(run, benchmark)))
    if decision and decision["input_digest"] == InputDigests(run).metrics(benchmark).input_digest:
        return list(decision["goes_on"])
    return None


def undecided(run: Evaluation, results: Path) -> list[str]:
    """The benchmarks of an adaptive run whose current round is undecided."""
    return [name for name in run.rounds if continuing_models(run, results, name) is None]


def decisions_made(run: Evaluation) -> Iterator[tuple[str, Step]]:
    """The path and input step of each decision that a run made."""
    now = dict(run.rounds)
    for name, rounds_of_models in now.items():
        for rounds in range(FIRST_LOOK, last_round(run, name) + 1):
            limited = {model: min(rounds, number) for model, number in rounds_of_models.items()}
            run.rounds = now | {name: limited}
            yield decision_file(name, rounds), InputDigests(run).metrics(name)
    run.rounds = now


def last_decisions(run: Evaluation, results: Path, *benchmarks: str) -> list[Record]:
    """The last decision of each benchmark whose current round is decided."""
    decisions = []
    for name in benchmarks:
        if continuing_models(run, results, name) is not None:
            decisions.append(read_json(results / decision_file(name, last_round(run, name))))
    return decisions


def previous_decision(run: Evaluation, benchmark: str) -> list[str]:
    """The decision before that of a benchmark's current round, where there is one."""
    if benchmark not in run.rounds or last_round(run, benchmark) == FIRST_LOOK:
        return []
    return [decision_file(benchmark, last_round(run, benchmark) - 1)]


def decision_output(run: Evaluation, benchmark: str) -> dict[str, list[str]]:
    """The decision that a benchmark's metrics make, as an output; none without adaptive."""
    if benchmark not in run.rounds:
        return {}
    return {"decision": [f"<results>/{decision_file(benchmark, last_round(run, benchmark))}"]}


def _read(path: Path) -> Record | None:
    """A decision; None where the file is missing or invalid."""
    with suppress(UserError):
        record = read_json(path)
        if not isinstance(record, dict):
            return None
        if all(isinstance(record.get(key), kind) for key, kind in TYPES.items()):
            return record
    return None


def _check_design(run: Evaluation, results: Path, benchmark: str, decision: Record) -> None:
    """Refuses a design or models that differ from those of a decision already made."""
    start = f"config: adaptive: {results}: a round of {benchmark} was already decided"
    adaptive = run.config.adaptive
    if adaptive is None:
        raise UserError(f"{start} by an adaptive run, but adaptive is not set; {ASIDE}")
    fixed = {**decision["decided_by"], **decision["design"]}
    for key, value in {**run.decided_by(benchmark), **adaptive.model_dump()}.items():
        if canonical_json(value) != canonical_json(fixed.get(key)):
            raise UserError(
                f"{start} with {key} {fixed.get(key)}; it must not change to {value} during an "
                f"adaptive run; {ASIDE}"
            )
    for name in decision["models"]:
        if name not in run.compared(benchmark):
            raise UserError(f"{start} with model {name!r}, which is missing now; {ASIDE}")
