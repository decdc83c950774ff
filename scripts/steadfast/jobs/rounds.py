"""How far an adaptive run is, by the decisions that its results hold.

After each round a decision says who goes on; it has the input digest of the scores that it was made
of. A run takes those that are what its config wants, one after the other, and asks the round after
the last of them. So it goes on where it was, and a decision whose scores would now be others is
made again, of answers that are there.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json, read_json
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests, Step
from steadfast.stats import FIRST_LOOK

TYPES = {
    "input_digest": str, "goes_on": list, "design": dict, "decided_by": dict, "models": dict,
    "looks": list,
}  # fmt: skip
"""What a decision has."""
ASIDE = "put it back, or name another folder under pathvars, results"


def decision_file(benchmark: str, rounds: int) -> str:
    """The path of what is decided after some rounds, below the results folder."""
    return f"{benchmark}/decisions/{rounds}.json"


def follow(run: Evaluation, results: Path) -> None:
    """Sets how many rounds an adaptive run asks of each model by now.

    Raises:
        UserError: the design is not that of a look that was taken, or nothing is to be decided.
    """
    for name in run.running:
        taken = sorted((results / name / "decisions").glob("*.json"))
        for decision in filter(None, map(_read, taken)):
            _check_design(run, results, name, decision)
        if run.config.adaptive is None:
            continue
        compared = run.compared(name)
        if len(compared) < 2:
            raise UserError(
                f"config: adaptive: {name} compares {len(compared)} of the models that run; name "
                "two or more, or leave adaptive out"
            )
        rounds = dict.fromkeys(run.asked_of(name), FIRST_LOOK)
        run.rounds[name] = rounds
        while goes_on := going_on(run, results, name):
            for model in rounds:
                rounds[model] += model in goes_on or model not in compared


def last_round(run: Evaluation, benchmark: str) -> int:
    """The round that a benchmark is in."""
    return max(run.rounds[benchmark].values())


def going_on(run: Evaluation, results: Path, benchmark: str) -> list[str] | None:
    """The models that go on after the round that a benchmark is in; None where it is undecided."""
    if benchmark not in run.rounds:
        return None
    decision = _read(results / decision_file(benchmark, last_round(run, benchmark)))
    if decision and decision["input_digest"] == InputDigests(run).metrics(benchmark).input_digest:
        return list(decision["goes_on"])
    return None


def undecided(run: Evaluation, results: Path) -> list[str]:
    """The benchmarks of an adaptive run whose scores are to be decided by."""
    return [name for name in run.rounds if going_on(run, results, name) is None]


def decided(run: Evaluation) -> Iterator[tuple[str, Step]]:
    """The path of each decision that a run took, and what it was made of."""
    now = dict(run.rounds)
    for name, asked in now.items():
        for rounds in range(FIRST_LOOK, last_round(run, name) + 1):
            run.rounds = now | {name: {m: min(rounds, number) for m, number in asked.items()}}
            yield decision_file(name, rounds), InputDigests(run).metrics(name)
    run.rounds = now


def last_decisions(run: Evaluation, results: Path, *benchmarks: str) -> list[Record]:
    """The last decision of each benchmark that is decided."""
    decided = [name for name in benchmarks if going_on(run, results, name) is not None]
    files = [results / decision_file(name, last_round(run, name)) for name in decided]
    return [read_json(file) for file in files]


def before(run: Evaluation, benchmark: str) -> list[str]:
    """The decision before the one that a benchmark's metrics make, where there is one."""
    if benchmark not in run.rounds or last_round(run, benchmark) == FIRST_LOOK:
        return []
    return [decision_file(benchmark, last_round(run, benchmark) - 1)]


def made(run: Evaluation, benchmark: str) -> dict[str, list[str]]:
    """The decision that they make, as an output by name; none where the run is not adaptive."""
    if benchmark not in run.rounds:
        return {}
    return {"decision": [f"<results>/{decision_file(benchmark, last_round(run, benchmark))}"]}


def _read(path: Path) -> Record | None:
    """A decision; None where the file is none, as one of a stranger's may be."""
    with suppress(UserError):
        found = read_json(path)
        if isinstance(found, dict) and all(isinstance(found.get(k), t) for k, t in TYPES.items()):
            return found
    return None


def _check_design(run: Evaluation, results: Path, benchmark: str, decision: Record) -> None:
    """Refuses another design, or fewer models, than those of a look that was taken."""
    place = f"config: adaptive: {results}: a look was taken there at {benchmark}"
    adaptive = run.config.adaptive
    if adaptive is None:
        raise UserError(f"{place}, and the run that took it was adaptive; {ASIDE}")
    fixed = {**decision["decided_by"], **decision["design"]}
    for key, value in {**run.decided_by(benchmark), **adaptive.model_dump()}.items():
        if canonical_json(value) != canonical_json(before := fixed.get(key)):
            raise UserError(
                f"{place} with {key} {before}, which is not changed to {value} "
                f"after a look; {ASIDE}"
            )
    for name in decision["models"]:
        if name not in run.compared(benchmark):
            raise UserError(f"{place} with model {name!r}, which is missing now; {ASIDE}")
