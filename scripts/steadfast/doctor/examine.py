"""What a config needs of the machine, thing by thing."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.contract.components import Component
from steadfast.contract.engine_names import NEEDS
from steadfast.contract.judge_template import fetched
from steadfast.contract.task import DataFile, Needs, Task
from steadfast.doctor.check import Check, Surroundings, found, unneeded
from steadfast.doctor.machine import hosts, machine_checks, silent
from steadfast.doctor.slurm import on_cluster, read_profile, slurm_checks
from steadfast.run.evaluation import Evaluation
from steadfast.run.required_files import check_required_files
from steadfast.schema.model_base import BaseModelSettings
from steadfast.schema.models import ScoredModel
from steadfast.show.results import listed


def examine(config_file: str, profiles: Sequence[str], online: bool) -> Iterator[Check]:
    """All checks of a config; only ``online`` may servers, the hub and addresses be asked."""
    try:
        config = load_config(read_source(config_file))
        run = Evaluation(config)
        run.check_judges()
        check_required_files(config, run.tasks)
        settings = {name: read_profile(name) for name in profiles}
    except UserError as error:
        yield from machine_checks(Path("results"), ())
        yield Check("config", "missing", str(error).removeprefix("config: "))
        return
    results = Path(config.pathvars.get("results", "results"))
    without_needs = [of.tokenizer for _, of in asked(run) if of.engine not in NEEDS]
    yield from machine_checks(results, [config.tokenizer, *without_needs])
    yield Check("config", "ok", f"{config_file} is whole, and each file that it names is there")
    yield from data_checks(run, results, online)
    yield from model_checks(run, Surroundings(online, on_cluster(settings)))
    yield from slurm_checks(settings, {who: how.slurm for who, how in asked(run)})


def asked(run: Evaluation) -> list[tuple[str, BaseModelSettings]]:
    """Every model, judge and rewriter that a run asks, by what it is called in a sentence."""
    config = run.config
    judges = {j for name in run.running for m in run.asked_of(name) for j in run.judges_of(name, m)}
    rewriters = {one for name, one, _ in run.rewrites.values() if name in run.running}
    return [
        *((f"model {name}", config.models[name]) for name in run.asked),
        *((f"judge {name}", of) for name, of in config.judges.items() if name in judges),
        *((f"rewriter {name}", of) for name, of in config.rewriters.items() if name in rewriters),
    ]


def model_checks(run: Evaluation, around: Surroundings) -> Iterator[Check]:
    """What each model needs, as its engine's module says it; what several lack alike, once."""
    models = asked(run)
    whose: dict[Check, list[str]] = {}
    for who, how in models:
        if how.engine in NEEDS:
            for check in load(NEEDS[how.engine])(how.model_dump(), around):
                whose.setdefault(check, []).append(who)
    for check, names in whose.items():
        yield Check(f"{check.what} ({listed(names)})", check.status, check.text)
    used = {how.engine for _, how in models}
    for engine in NEEDS:
        if engine not in used:
            yield unneeded(f"engine {engine}", "no model, judge or rewriter of this config has it")


# --- data -------------------------------------------------------------------------------------


def data_checks(run: Evaluation, results: Path, online: bool) -> Iterator[Check]:
    """Whether each benchmark's data is there, or can be fetched; and packages that make it."""
    packages: dict[str, str] = {}
    checks: dict[str, Component[None]] = {}
    for name in run.running:
        task, title = run.tasks[name], run.benchmarks[name].title
        files = needed_data(task)
        needs = [file.needs for file in files]
        scored = any(isinstance(run.config.models[m], ScoredModel) for m in run.models_of(name))
        if scored:
            needs.append(task.released_needs)
        packages |= {key: how for need in needs for key, how in need.packages.items()}
        checks |= {what: one for need in needs for what, one in need.checks.items()}
        known = [results / file.path for file in files if file.needs.addresses]
        there = not scored and all(path.exists() for path in known)
        yield _fetched(f"data of {title}", needs, online, there)
    for name, install in packages.items():
        lacks = f"it is not installed; {install}"
        yield found(f"package {name}", find_spec(name) is not None, "it is installed", lacks)
    yield from (_tried(what, one) for what, one in checks.items())
    if not packages and not checks:
        yield unneeded("further packages", "no data of this config is made with any")


def needed_data(task: Task) -> list[DataFile]:
    """The data files that a benchmark's prompts are made of, directly or not."""
    files = {file.path: file for file in task.data}
    wanted = [path for part in task.parts.values() for path in part.sources.values()]
    wanted += fetched(task.judging.templates) if task.judging else []
    known: dict[str, DataFile] = {}
    while wanted:
        path = wanted.pop()
        if path in files and path not in known:
            known[path] = files[path]
            wanted += files[path].inputs.values()
    return list(known.values())


def _fetched(what: str, needs: Iterable[Needs], online: bool, there: bool) -> Check:
    addresses = [address for need in needs for address in need.addresses]
    if not addresses:
        return Check(what, "ok", "made without the network")
    if not online:
        return Check(what, "unchecked", f"it comes from {hosts(addresses)}, which was not asked")
    reasons = silent(addresses)
    refused = "; ".join(f"{address}: {reason}" for address, reason in list(reasons.items())[:2])
    if reasons and there:
        text = "what was made before stands in the results, and serves unless its settings changed"
        return Check(what, "unchecked", f"{text} ({refused})")
    return found(
        what,
        not reasons,
        f"{hosts(addresses)} has it, at the pinned revisions",
        f"{refused}; try again, or take it from a directory of your own (docs/config.md)",
    )


def _tried(what: str, check: Component[None]) -> Check:
    try:
        check.make()
    except UserError as error:
        return Check(what, "missing", str(error))
    return Check(what, "ok", "all that is needed is here, as pinned")
