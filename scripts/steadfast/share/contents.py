"""Which files of a run a bundle has: those that cost something to make, and what they make."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path, PurePosixPath

from steadfast.base.errors import UserError
from steadfast.base.provenance import PROVENANCE
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import nondeterminism_path
from steadfast.jobs.required_files import required_files

ANSWERS = "results"
MADE = "made"
"""Folders of a bundle: what a machine needs to make the tables again, which without a model takes
minutes; and what the run made of it."""
CONFIG = "config.yaml"
MANIFEST = "manifest.json"
README = "README.md"


def answers(run: Evaluation, steps: InputDigests) -> dict[str, str]:
    """Input digests of data, prompts, judge prompts and replies of the benchmarks that run, and of
    measured nondeterminism, by path below the results."""
    input_digests = required_answers(run, steps)
    for name in run.running:
        for model, part in product(run.evaluated_models(name), run.tasks[name].parts):
            input_digests[nondeterminism_path(name, model, part)] = steps.nondeterminism(
                name, model, part
            ).input_digest
    return input_digests


def required_answers(run: Evaluation, steps: InputDigests) -> dict[str, str]:
    """Those that every run has."""
    input_digests: dict[str, str] = {}
    for name in run.running:
        for part, files in run.tasks[name].parts.items():
            input_digests |= {
                path: steps.data(path).input_digest for path in files.sources.values()
            }
            input_digests[f"{name}/prompts/{part}.jsonl"] = steps.prompts(name, part).input_digest
    for job in run.jobs:
        input_digests[run.prompts(job)] = steps.requests(job).input_digest
        input_digests[job.outputs] = steps.replies(job).input_digest
    return input_digests


def scores(run: Evaluation) -> list[str]:
    """The scores of all models."""
    return [
        f"{name}/scores/{model}/{part}.jsonl"
        for name in run.running
        for model in run.models_of(name)
        for part in run.tasks[name].parts
    ]


def metrics(run: Evaluation) -> list[str]:
    """The paths of all metrics, and of the provenances beside them."""
    return [
        f"{name}/metrics/{file}"
        for name in run.running
        for file in (
            *(f"{metric}.csv" for metric in run.tasks[name].metrics.names),
            "provenance.json",
        )
    ]


def made_files(run: Evaluation, results: Path) -> list[str]:
    """What the run made of the answers: scores, metrics and tables."""
    scored = scores(run)
    tables = sorted((results / "tables").glob("[!.]*"))  # Snakemake's time stamp is no table
    names = [table.relative_to(results).as_posix() for table in tables]
    return [*scored, *map(provenance_path, scored), *metrics(run), *names]


def provenance_path(path: str) -> str:
    """Where the provenance of a with_provenance file lies."""
    return PurePosixPath(path).with_suffix(PROVENANCE).as_posix()


def own_files(run: Evaluation) -> dict[str, str]:
    """The user's files and folders that results are made of, each with its key or its benchmark."""
    named = {path: key for key, path in required_files(run.config, run.tasks)}
    for name in run.running:
        task = run.tasks[name]
        paths = [path for file in task.data for path in file.files]
        paths += [*task.released_files, *run.own_templates(name), *filter(None, [task.labels])]
        named |= {path: name for path in paths if path not in named and Path(path).exists()}
    return named


def files_of(named: Mapping[str, str]) -> list[str]:
    """The files that the config names, and those of the folders that it names, by name."""
    check_inside(named)
    files = sorted({file.as_posix() for path in named for file in _visible_files(Path(path))})
    spelled: dict[str, str] = {}
    for file in files:
        if (other := spelled.setdefault(file.casefold(), file)) != file:
            raise UserError(
                f"{file}: differs from {other} only in upper and lower case, which some file "
                "systems do not distinguish; rename one of them"
            )
    return files


def check_inside(named: Mapping[str, str]) -> None:
    """Checks that all files of ``own_files`` lie where another machine would find them."""
    for path, key in named.items():
        if Path(path).is_absolute() or is_hidden(Path(path)):  # .. is hidden too
            raise UserError(
                f"config: {key}: {path}: outside the working directory, or hidden, so that a "
                "bundle cannot include it; move it below the working directory, and give its "
                "relative path"
            )


def _visible_files(path: Path) -> list[Path]:
    """The file, or all files of a folder, but for hidden ones and compiled code."""
    if not path.is_dir():
        return [path]
    below = {file: file.relative_to(path) for file in files_below(path)}
    return [
        file
        for file, name in below.items()
        if not is_hidden(name) and "__pycache__" not in name.parts
    ]


def is_hidden(path: Path | PurePosixPath) -> bool:
    """Whether a part of a path is hidden, as version control and shells have their files."""
    return any(part.startswith(".") for part in path.parts)


def files_below(folder: Path) -> list[Path]:
    """All files of a folder, by name."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
