"""The checks of a config's requirements of the machine."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.contract.components import Component
from steadfast.contract.engine_names import NEEDS
from steadfast.contract.judge_template import fetched_files
from steadfast.contract.task import DataFile, Task
from steadfast.doctor.check import Check, Environment, check_of
from steadfast.doctor.machine import hosts, machine_checks, unreachable
from steadfast.doctor.slurm import on_cluster, read_profile, slurm_checks
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.required_files import check_required_files
from steadfast.schema.model_base import BaseModelSettings
from steadfast.schema.models import ScoredModel
from steadfast.show.results import listed_names


def examine(config_file: str, profiles: Sequence[str], online: bool) -> Iterator[Check]:
    """All checks of a config; only ``online`` may they contact servers and the hub."""
    try:
        config = load_config(read_source(config_file))
        run = Evaluation(config)
        run.check_judges()
        check_required_files(run)
        settings = {name: read_profile(name) for name in profiles}
    except UserError as error:
        # These checks need no config.
        yield from machine_checks(Path("results"), ())
        yield Check("config", "missing", str(error).removeprefix("config: "))
        return
    results = Path(config.pathvars.get("results", "results"))
    models = queried(run)
    # Engines with checks of their own check their tokenizers too.
    tokenizers = [model.tokenizer for model in models.values() if model.engine not in NEEDS]
    yield from machine_checks(results, [config.tokenizer, *tokenizers])
    yield Check("config", "ok", f"{config_file} is valid, and all its files exist")
    yield from data_checks(run, results, online)
    yield from model_checks(run, Environment(online, on_cluster(settings)))
    yield from slurm_checks(settings, {name: model.slurm for name, model in models.items()})


def queried(run: Evaluation) -> dict[str, BaseModelSettings]:
    """The models, judges and rewriters that a run queries, by role and name."""
    return {f"{job.role.removesuffix('s')} {job.name}": run.settings(job) for job in run.jobs}


def model_checks(run: Evaluation, environment: Environment) -> Iterator[Check]:
    """The checks of each model's engine; those with the same result are shown once."""
    models: dict[Check, list[str]] = {}
    for name, settings in queried(run).items():
        if settings.engine in NEEDS:
            engine_checks = load(NEEDS[settings.engine])
            for check in engine_checks(settings.model_dump(), environment):
                models.setdefault(check, []).append(name)
    for check, names in models.items():
        yield Check(f"{check.what} ({listed_names(names)})", check.status, check.text)


def data_checks(run: Evaluation, results: Path, online: bool) -> Iterator[Check]:
    """Checks of each benchmark's data, which is there or can be downloaded, and its packages."""
    packages: dict[str, str] = {}
    checks: dict[str, Component[None]] = {}
    for name in run.running:
        task = run.tasks[name]
        files = needed_data(task)
        needs = [file.needs for file in files]
        # Released scores are downloaded too, and no file of the data shows whether they were.
        models = [run.config.models[model] for model in run.models_of(name)]
        scored = any(isinstance(model, ScoredModel) for model in models)
        if scored:
            needs.append(task.released_needs)
        for need in needs:
            packages |= need.packages
            checks |= need.checks
        downloads = [results / file.path for file in files if file.needs.addresses]
        is_fetched = not scored and all(path.exists() for path in downloads)
        addresses = list(chain.from_iterable(need.addresses for need in needs))
        yield _fetched(f"data of {run.benchmarks[name].title}", addresses, online, is_fetched)
    for package, install in packages.items():
        advice = f"not installed; {install}"
        is_installed = find_spec(package) is not None
        yield check_of(f"package {package}", is_installed, "installed", advice)
    for what, check in checks.items():
        try:
            check.make()
        except UserError as error:
            yield Check(what, "missing", str(error))
        else:
            yield Check(what, "ok", "all files present, at the pinned versions")


def needed_data(task: Task) -> list[DataFile]:
    """The data files that a benchmark's prompts are made of, directly or not."""
    files = {file.path: file for file in task.data}
    paths: list[str] = []  # sources of the prompts, then also their inputs
    for part in task.parts.values():
        paths += part.sources.values()
    paths += fetched_files(task.judging.templates) if task.judging else []
    needed: dict[str, DataFile] = {}
    while paths:
        path = paths.pop()
        if path in files and path not in needed:
            needed[path] = files[path]
            paths += files[path].inputs.values()
    return list(needed.values())


def _fetched(what: str, addresses: list[str], online: bool, is_fetched: bool) -> Check:
    """The check of downloads: whether the servers respond; nothing is downloaded."""
    if not addresses:
        return Check(what, "ok", "needs no network")
    if not online:
        text = f"downloaded from {hosts(addresses)}, which was not contacted (offline)"
        return Check(what, "unchecked", text)
    faults = [f"{address}: {fault}" for address, fault in unreachable(addresses).items()]
    if not faults:
        return Check(what, "ok", f"available from {hosts(addresses)}, at the pinned revisions")
    reasons = "; ".join(faults[:2])
    if is_fetched:
        text = "already in the results folder, which suffices unless its settings changed"
        return Check(what, "unchecked", f"{text} ({reasons})")
    advice = "try again, or set source: local with a directory (docs/config.md)"
    return Check(what, "missing", f"{reasons}; {advice}")
