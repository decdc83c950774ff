"""Which files of a run a bundle has: those that cost something to make, and what they make."""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.seal import IDENTITY
from steadfast.config.portable import of_any_machine
from steadfast.run.evaluation import Evaluation
from steadfast.run.job import noise_path
from steadfast.run.lineage import Lineage
from steadfast.run.required_files import required_files

ANSWERS, MADE = "results", "made"
"""Folders of a bundle: what a machine needs to make the tables again, which without a model takes
minutes; and what the run made of it."""
CONFIG, MANIFEST, README = "config.yaml", "manifest.json", "README.md"
WORKFLOW = "workflow/Snakefile"
OF_A_MODEL = frozenset({"model", "tokenizer"})
"""Keys that name what a bundle never has: a checkpoint, of which the last name remains."""
CODE = (".py", ".pyc", ".pyd", ".so", ".pth", ".smk", "Snakefile")
"""How names of files end that a run could be made to execute."""
LONGEST_PATH = 1000  # characters; longer texts of a config are prose


class Made(NamedTuple):
    """A file below the results folder, beside which an identity says what it was made from."""

    path: str
    lineage: str


def answers(run: Evaluation, steps: Lineage) -> Iterator[Made]:
    """Data, prompts, judge prompts and replies of the benchmarks that run."""
    for name in run.running:
        task = run.tasks[name]
        for path in dict.fromkeys(p for part in task.parts.values() for p in part.sources.values()):
            yield Made(path, steps.data(path).lineage)
        for part in task.parts:
            yield Made(f"{name}/prompts/{part}.jsonl", steps.prompts(name, part).lineage)
            if run.config.limit is not None:
                yield Made(f"{name}/trial/{part}.jsonl", steps.asked(name, part).lineage)
            for rounds in sorted(set(run.rounds.get(name, {}).values())):
                step = steps.asked(name, part, rounds)
                yield Made(f"{name}/rounds/{rounds}/{part}.jsonl", step.lineage)
    for job in run.jobs:
        if job.judge:
            asked = f"{job.benchmark}/judging/{job.model}/{job.part}.jsonl"
            step = steps.judge_prompts(job.benchmark, job.model, job.part)
            yield Made(asked, step.lineage)
        yield Made(job.outputs, steps.replies(job).lineage)


def noise(run: Evaluation, steps: Lineage) -> Iterator[Made]:
    """What may have been measured of the noise of models' answers, which tables then show."""
    for name in run.running:
        for model, part in product(run.asked_of(name), run.tasks[name].parts):
            yield Made(noise_path(name, model, part), steps.noise(name, model, part).lineage)


def scores(run: Evaluation, steps: Lineage) -> Iterator[Made]:
    """The scores of all models."""
    for name in run.running:
        for model in run.models_of(name):
            for part in run.tasks[name].parts:
                lineage = steps.scores(name, model, part).lineage
                yield Made(f"{name}/scores/{model}/{part}.jsonl", lineage)


def metrics(run: Evaluation) -> list[str]:
    """The paths of all metrics, and of the identities beside them."""
    return [
        f"{name}/metrics/{file}"
        for name in run.running
        for file in (*(f"{one}.csv" for one in run.tasks[name].metrics.names), "identity.json")
    ]


def identity_path(path: str) -> str:
    """Where the identity of a sealed file lies."""
    return PurePosixPath(path).with_suffix(IDENTITY).as_posix()


def own_files(run: Evaluation) -> dict[str, str]:
    """The user's files and folders that the config names, each with its key or its benchmark."""
    named = {path: key for key, path in _files_named(of_any_machine(run.config))}
    named |= {path: key for key, path in required_files(run.config, run.tasks)}
    for name in run.running:
        task = run.tasks[name]
        paths = [path for file in task.data for path in file.files]
        paths += [*task.released_files, *run.own_templates(name), *filter(None, [task.labels])]
        named |= {path: name for path in paths if path not in named and Path(path).exists()}
    return named


def _files_named(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts among plain values that name files, after their keys."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else ((key, one) for one in value)
        for name, one in pairs:
            yield from _files_named(one, name)
    elif isinstance(value, str) and key not in OF_A_MODEL and _is_file(value):
        yield key, value


def _is_file(text: str) -> bool:
    return len(text) < LONGEST_PATH and Path(text).is_file()


def files_of(named: Mapping[str, str]) -> list[str]:
    """The files that the config names, and those of the folders that it names, by name."""
    check_inside(named)
    return sorted({file for path in named for file in _files_below(Path(path))})


def check_inside(named: Mapping[str, str]) -> None:
    """Checks that all files of ``own_files`` lie where another machine would find them."""
    for path, key in named.items():
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise UserError(
                f"config: {key}: {path}: it lies outside the working directory, so that a bundle "
                "cannot have it where another machine looks for it; put it below the directory "
                "that you run in, and name it from there"
            )


def _files_below(path: Path) -> list[str]:
    """The file, or all files of a folder, but for hidden ones and compiled code."""
    if not path.is_dir():
        return [path.as_posix()]
    found = ((one, one.relative_to(path).parts) for one in path.rglob("*") if one.is_file())
    return [
        one.as_posix()
        for one, parts in found
        if not any(part.startswith(".") or part == "__pycache__" for part in parts)
    ]
