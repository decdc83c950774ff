"""The files of RECS, a step each, so that each is made again by its own inputs alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench.needs import NOTHING, encoder_needs, rewrites_needs
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.section import Lifbench
from steadfast.contract.components import Component
from steadfast.contract.task import DataFile, Rewriting, rewrites_file

FUNCTIONS = "steadfast.benchmarks.lifbench.recs"
READING = "steadfast.judging.rewriting.reading:readable"
STAND_IN = "steadfast.judging.rewriting.stand_in:RewriterStandIn"
ATTEMPTS = 3
ROUND = "recs"
RELEASED = "released"
"""In place of a folder: the authors' review."""


def recs_file(benchmark: str, step: str, task: str = "", kind: str = "jsonl") -> str:
    """Returns the path of what a step makes; of a task, where it works task by task."""
    return f"{benchmark}/recs/{step}/{task}.{kind}" if task else f"{benchmark}/recs/{step}.{kind}"


def rewriters(section: Lifbench, known: Sequence[str]) -> list[str]:
    """Returns the rewriters that are asked: those that the section names, or all of the config."""
    if section.expressions != "recs" or section.recs.rewrites == "released":
        return []
    return section.recs.rewriters or list(known)


def rewriting(section: Lifbench, benchmark: str, known: Sequence[str]) -> Rewriting | None:
    """Returns what the rewriters are asked; None where none is."""
    asked = rewriters(section, known)
    if not asked:
        return None
    return Rewriting(
        requests={ROUND: recs_file(benchmark, "requests")},
        rewriters=asked,
        readable=Component(READING),
        stand_in=Component(STAND_IN),
        attempts=ATTEMPTS,
    )


def review_folder(section: Lifbench) -> str | None:
    """Returns the user's folder with reviews; None where there is none."""
    return None if section.recs.review == RELEASED else section.recs.review


def review_file(section: Lifbench, task: str) -> str | None:
    """Returns the file with people's review of a task's texts; None where there is none."""
    if review_folder(section) is None:
        return None
    path = Path(str(section.recs.review)) / f"{task}.yaml"
    return str(path) if path.is_file() else None


def recs_files(
    section: Lifbench,
    benchmark: str,
    tasks: Sequence[str],
    known: Sequence[str],
    seed: int,
    templates: Mapping[str, str],
) -> list[DataFile]:
    """Returns the files of all steps before the expressions themselves."""
    files, recs = [], section.recs
    asked = rewriters(section, known)
    directory = section.released.directory
    if asked:
        requests = recs_file(benchmark, "requests")
        settings: Settings = {
            "tasks": [TASKS[task].worded for task in tasks],
            "count": recs.count,
            "directions": list(recs.directions),
            "originals": recs.originals,
            "directory": directory,
        }
        own = tasks if recs.originals == "own" else ()
        packaged = tuple(f"lifbench/expressions/{task}.yaml" for task in own)
        content: Component[Any] = Component(f"{FUNCTIONS}.requests:requests", settings, packaged)
        files.append(DataFile(requests, "recs_requests", content, templates))
    for task in tasks:
        candidates, vectors, clusters = (
            recs_file(benchmark, step, task) for step in ("candidates", "vectors", "clusters")
        )
        worded = TASKS[task].worded
        if asked:
            inputs = {"requests": requests} | {n: rewrites_file(benchmark, n, ROUND) for n in asked}
            settings = {"task": worded, "rewriters": asked, "directions": list(recs.directions)}
            content = Component(f"{FUNCTIONS}.candidates:candidates", settings)
        else:
            inputs = {}
            settings = {"task": worded, "directory": directory}
            content = Component(f"{FUNCTIONS}.released:candidates", settings)
        needs = NOTHING if asked else rewrites_needs(directory, "rewrites", task)
        files.append(DataFile(candidates, "recs_candidates", content, inputs, needs=needs))
        encoder = {"encoder": recs.encoder.model_dump()}
        content = Component(f"{FUNCTIONS}.vectors:vectors", encoder)
        of_encoder = encoder_needs(recs.encoder)
        inputs = {"candidates": candidates}
        files.append(DataFile(vectors, "recs_vectors", content, inputs, needs=of_encoder))
        inputs = {"candidates": candidates, "vectors": vectors}
        settings = {"k": recs.clusters, "seed": seed, "starts": recs.starts}
        content = Component(f"{FUNCTIONS}.clusters:clusters", settings)
        if recs.partition == "released":
            del inputs["vectors"]
            settings = {"task": worded, "directory": directory}
            content = Component(f"{FUNCTIONS}.released:clusters", settings)
        released = recs.partition == "released"
        needs = rewrites_needs(directory, "clusters", task) if released else NOTHING
        files.append(DataFile(clusters, "recs_clusters", content, inputs, needs=needs))
        content = Component(f"{FUNCTIONS}.review:review", {"task": task})
        inputs = {"candidates": candidates, "clusters": clusters}
        review = recs_file(benchmark, "review", task, "yaml")
        files.append(DataFile(review, "recs_review", content, inputs))
    return files
