"""The files of RECS, a step each, so that each is made again by its own inputs alone."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from steadfast.base.commands import installation
from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import expressions, paper_tasks, released_files
from steadfast.benchmarks.lifbench.section import Lifbench, SentenceEncoder
from steadfast.benchmarks.lifbench.tasks import NAME
from steadfast.contract.components import Component
from steadfast.contract.package import Package
from steadfast.contract.task import DataFile, Needs, Rewriting, rewrites_file
from steadfast.schema.config import Config

OWN = Package(NAME)
READING = "steadfast.judging.rewriting:readable"
SIMULATOR = "steadfast.judging.rewriting:RewriterSimulator"
ATTEMPTS = 3
ROUND = "recs"
RELEASED = "released"  # in place of a folder: the authors' review


def recs_file(step: str, task: str = "", kind: str = "jsonl") -> str:
    """Returns the path of what a step makes; of a task, where it works task by task."""
    return f"{NAME}/recs/{step}/{task}.{kind}" if task else f"{NAME}/recs/{step}.{kind}"


def rewriters(section: Lifbench, config: Config) -> list[str]:
    """Returns the rewriters that are asked: those that the section names, or all of the config."""
    if section.expressions != "recs" or section.recs.rewrites == "released":
        return []
    return section.recs.rewriters or list(config.rewriters)


def rewriting(section: Lifbench, config: Config) -> Rewriting | None:
    """Returns what the rewriters are asked; None where none is."""
    names = rewriters(section, config)
    if not names:
        return None
    requests = {ROUND: recs_file("requests")}
    return Rewriting(requests, names, Component(READING), Component(SIMULATOR), ATTEMPTS)


def review_folder(section: Lifbench) -> str | None:
    """Returns the user's folder with reviews; None where there is none."""
    return None if section.recs.review == RELEASED else section.recs.review


def review_file(section: Lifbench, task: str) -> str | None:
    """Returns the file with people's review of a task's texts; None where there is none."""
    folder = review_folder(section)
    path = Path(folder or "", f"{task}.yaml")
    return str(path) if folder is not None and path.is_file() else None


def recs_files(
    config: Config, section: Lifbench, tasks: Sequence[str], templates: Mapping[str, str]
) -> Iterator[DataFile]:
    """Yields the files of all steps before the expressions themselves."""
    recs = section.recs
    names = rewriters(section, config)
    if names:
        settings = {
            "tasks": [paper_tasks.TASKS[task].worded for task in tasks],
            "count": recs.count,
            "originals": recs.originals,
            "directory": section.released.directory,
        }
        packaged: set[str] = set()
        for task in tasks if recs.originals == "own" else ():
            packaged.update(expressions.own_files(task, paper_tasks.TASKS[task].scenario))
        content = OWN.component("recs.requests:requests", settings, sorted(packaged))
        yield DataFile(recs_file("requests"), "recs_requests", content, templates)
    for task in tasks:
        yield from _files_of(config, section, task, names)


def _files_of(
    config: Config, section: Lifbench, task: str, asked: Sequence[str]
) -> Iterator[DataFile]:
    def file(
        step: str,
        function: str,
        settings: Settings,
        inputs: Mapping[str, str],
        needs: Needs = released_files.NOTHING,
        kind: str = "jsonl",
    ) -> DataFile:
        content = OWN.component(f"recs.{function}", settings)
        return DataFile(recs_file(step, task, kind), f"recs_{step}", content, inputs, needs=needs)

    recs = section.recs
    directory = section.released.directory
    worded: Settings = {"task": paper_tasks.TASKS[task].worded}
    released: Settings = {**worded, "directory": directory}
    texts = {"candidates": recs_file("candidates", task)}
    clusters = {"clusters": recs_file("clusters", task)}
    if asked:
        replies = {name: rewrites_file(NAME, name, ROUND) for name in asked}
        inputs = {"requests": recs_file("requests"), **replies}
        settings = {**worded, "rewriters": asked}
        yield file("candidates", "candidates:candidates", settings, inputs)
    else:
        needs = rewrites_needs(directory, "rewrites", task)
        yield file("candidates", "released:candidates", released, {}, needs)
    loaded = isinstance(recs.encoder, SentenceEncoder)
    needs = Needs(packages={"sentence_transformers": installation("embeddings")} if loaded else {})
    yield file("vectors", "vectors:vectors", {"encoder": recs.encoder.model_dump()}, texts, needs)
    if recs.partition == "released":
        needs = rewrites_needs(directory, "clusters", task)
        yield file("clusters", "released:clusters", released, texts, needs)
    else:
        settings = {"k": recs.clusters, "seed": config.seed, "starts": recs.starts}
        inputs = texts | {"vectors": recs_file("vectors", task)}
        yield file("clusters", "clusters:clusters", settings, inputs)
    yield file("review", "review:review", {"task": task}, texts | clusters, kind="yaml")


def rewrites_needs(directory: str | None, kind: str, task: str) -> Needs:
    """Returns the address of a task's released rewrites or clusters."""
    released = facts("lifbench/recs/released.yaml")
    return released_files.fetched(directory, [released["repository"] + released[kind][task]])
