"""What LIFBench's data needs of the surroundings: addresses, and packages of encoders."""

import os
from collections.abc import Iterable

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import input_name, scores_file
from steadfast.benchmarks.lifbench.section import SentenceEncoder, TfidfEncoder
from steadfast.contract.task import Needs

HUB = "{hub}/api/datasets/{repo}/revision/{revision}"
PUBLIC = "https://huggingface.co"
NOTHING = Needs()


def corpus_needs(source: str, settings: Settings) -> Needs:
    """Returns the address of a corpus on the hub, at its revision; of its first name alone."""
    if source != "hub":
        return NOTHING
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC
    return Needs((HUB.format(hub=hub, **settings),))


def templates_needs(directory: str | None) -> Needs:
    """Returns the address of the released templates, where they are in no directory."""
    return _fetched(directory, [facts("lifbench/released.yaml")["url"]])


def input_needs(directory: str | None, scenario: str) -> Needs:
    """Returns the address of a scenario's released contexts, likewise."""
    source = facts("lifbench/released.yaml")["contexts"]
    return _fetched(directory, [source["url"].format(**source, file=input_name(scenario))])


def scores_needs(directory: str | None, tasks: Iterable[str]) -> Needs:
    """Returns the addresses of the released scores of tasks, likewise."""
    url = facts("lifbench/released_scores.yaml")["url"]
    return _fetched(directory, [url + scores_file(TASKS[task]) for task in tasks])


def rewrites_needs(directory: str | None, kind: str, task: str) -> Needs:
    """Returns the address of a task's released rewrites or clusters, likewise."""
    known = facts("lifbench/recs/released.yaml")
    return _fetched(directory, [known["repository"] + known[kind][task]])


def encoder_needs(encoder: TfidfEncoder | SentenceEncoder) -> Needs:
    """Returns the packages that make vectors of texts."""
    own = isinstance(encoder, SentenceEncoder)
    return Needs(packages={"sentence_transformers": "make embeddings"} if own else {})


def _fetched(directory: str | None, addresses: list[str]) -> Needs:
    return Needs(tuple(addresses)) if directory is None else NOTHING
