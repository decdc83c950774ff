"""Which files of a run are in a bundle: its inputs and responses, and what was made of them."""

from collections.abc import Mapping, Sequence
from itertools import chain, product
from pathlib import Path, PurePosixPath

from steadfast.base.errors import UserError
from steadfast.base.provenance import PROVENANCE
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import nondeterminism_path
from steadfast.jobs.required_files import required_files

# Folders of a bundle: what is needed to make the tables again, in minutes and without a model; and
# the run's own scores, metrics and tables.
ANSWERS = "results"
MADE = "made"
CONFIG = "config.yaml"
MANIFEST = "manifest.json"
README = "README.md"


def answers(run: Evaluation, steps: InputDigests) -> dict[str, str]:
    """Input digests of data, prompts, judge prompts and replies of the benchmarks that run, and of
    measured nondeterminism, by path below the results."""
    input_digests = required_answers(run, steps)
    for name in run.running:
        for model, part in run.cells(name):
            measured = steps.nondeterminism(name, model, part)
            input_digests[nondeterminism_path(name, model, part)] = measured.input_digest
    return input_digests


def required_answers(run: Evaluation, steps: InputDigests) -> dict[str, str]:
    """Those of ``answers`` without the measured nondeterminism, which is optional."""
    input_digests: dict[str, str] = {}
    for name in run.running:
        for part, files in run.tasks[name].parts.items():
            for path in files.sources.values():
                input_digests[path] = steps.data(path).input_digest
            input_digests[f"{name}/prompts/{part}.jsonl"] = steps.prompts(name, part).input_digest
    for job in run.jobs:
        input_digests[run.prompts(job)] = steps.requests(job).input_digest
        input_digests[job.outputs] = steps.replies(job).input_digest
    return input_digests


def available_answers(
    run: Evaluation, steps: InputDigests, measured: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Those of ``answers`` that a run has, with ``measured_nondeterminism`` of its folder."""
    input_digests = {path: input_digest for path, (input_digest, _) in measured.items()}
    return required_answers(run, steps) | input_digests


def scores(run: Evaluation) -> list[str]:
    """The scores of all models."""
    files = []
    for name in run.running:
        for model, part in product(run.models_of(name), run.tasks[name].parts):
            files.append(f"{name}/scores/{model}/{part}.jsonl")
    return files


def metrics(run: Evaluation) -> list[str]:
    """The paths of all metrics, and of the provenances beside them."""
    files = []
    for name in run.running:
        names = [f"{metric}.csv" for metric in run.tasks[name].metrics.names]
        files += [f"{name}/metrics/{file}" for file in [*names, "provenance.json"]]
    return files


def made_files(run: Evaluation, results: Path) -> list[str]:
    """The paths of scores, metrics and tables, with their provenances."""
    score_files = scores(run)
    tables = sorted((results / "tables").glob("[!.]*"))  # Snakemake's time stamp is no table
    names = [table.relative_to(results).as_posix() for table in tables]
    return [*score_files, *map(provenance_path, score_files), *metrics(run), *names]


def provenance_path(path: str) -> str:
    """The path of the provenance beside a file."""
    return PurePosixPath(path).with_suffix(PROVENANCE).as_posix()


def own_files(run: Evaluation) -> dict[str, str]:
    """The user's files and folders that results are made of, each with its key or its benchmark."""
    keys = {path: key for key, path in required_files(run)}
    for name in run.running:
        task = run.tasks[name]
        paths = list(chain.from_iterable(file.files for file in task.data))
        paths += [*task.released_files, *run.own_templates(name)]
        if task.labels:
            paths.append(task.labels)
        for path in paths:
            # Optional ones may be absent; a file of two benchmarks is named with the first.
            if path not in keys and Path(path).exists():
                keys[path] = name
    return keys


def files_of(named: Mapping[str, str]) -> list[str]:
    """The files that the config names, and those of the folders that it names, by name."""
    check_inside(named)
    unique: set[str] = set()
    for path in named:
        unique.update(file.as_posix() for file in _visible_files(Path(path)))
    files = sorted(unique)
    spellings: dict[str, str] = {}
    for file in files:
        other = spellings.setdefault(file.casefold(), file)
        if other != file:
            raise UserError(
                f"{file}: differs from {other} only in upper and lower case, which some file "
                "systems do not distinguish; rename one of them"
            )
    return files


def check_inside(named: Mapping[str, str]) -> None:
    """Raises UserError where a file of ``own_files`` is outside the working directory or hidden."""
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
    visible = []
    for file in path.rglob("*"):
        name = file.relative_to(path)  # the folder itself may lie below a hidden one
        if file.is_file() and not is_hidden(name) and "__pycache__" not in name.parts:
            visible.append(file)
    return visible


def is_hidden(path: Path | PurePosixPath) -> bool:
    """Whether a part of a path begins with a dot."""
    return any(part.startswith(".") for part in path.parts)
