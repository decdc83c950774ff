"""The files of LIFBench's data: corpora, the contexts and expressions made of them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.contexts.formats import NUMBERED, formats_of
from steadfast.benchmarks.lifbench.domains import facts_of, usual_domain
from steadfast.benchmarks.lifbench.own_tasks.tasks import OwnTask
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs.files import RELEASED, recs_file, recs_files, review_file
from steadfast.benchmarks.lifbench.released_files import (
    NOTHING,
    in_directory,
    input_name,
    input_needs,
    templates_needs,
)
from steadfast.benchmarks.lifbench.section import Lifbench
from steadfast.benchmarks.lifbench.tasks import NAME, in_order
from steadfast.contract.components import Component
from steadfast.contract.task import DataFile, Needs
from steadfast.corpora.hub import PUBLIC
from steadfast.corpora.local import matching
from steadfast.schema.config import Config, CorpusName

RELEASED_TEMPLATES = f"{NAME}/released/tasks.json"
BUILDERS = {"list": "lists", "multidoc": "multidoc", "onedoc": "onedoc"}
"""The module in ``contexts`` that makes them."""
LEAST_TOKENS = 128 * 1024  # of a synthetic corpus


def data_files(
    config: Config, section: Lifbench, tasks: Sequence[str], own: Mapping[str, OwnTask]
) -> list[DataFile]:
    """Returns all data files that the tasks need."""
    asked = [*(TASKS[name] for name in tasks), *(one.task for one in own.values())]
    scenarios = in_order(one.scenario for one in asked)
    pinned = {"pinned": True} if section.published_prompts else {}
    recs = section.expressions == "recs"
    return [
        *_all_contexts(config, section, scenarios),
        DataFile(
            RELEASED_TEMPLATES,
            "released_templates",
            Component(
                "steadfast.benchmarks.lifbench.released_files:tasks_file",
                {"directory": section.released.directory, **pinned},
            ),
            needs=templates_needs(section.released.directory),
        ),
        *(recs_files(config, section, tasks, _templates(section.recs.originals)) if recs else ()),
        *(_expressions(config, section, task) for task in tasks),
        *map(_own_expressions, own.values()),
    ]


def _all_contexts(
    config: Config, section: Lifbench, scenarios: Sequence[str]
) -> Iterator[DataFile]:
    """Yields the contexts of all lengths, and what they are made of before them."""
    if section.contexts == "released":
        yield from (_released_input(config, section, scenario) for scenario in scenarios)
        for scenario in scenarios:
            yield from (_released_contexts(config, section, scenario, at) for at in section.lengths)
        return
    kinds = [(s, domain) for s in scenarios for domain in domains_of(section, s)]
    corpora = dict.fromkeys(corpus for kind in kinds for corpus in facts_of(*kind)["corpora"])
    yield from (_corpus(config, section, corpus) for corpus in corpora)
    for kind in kinds:
        yield from (_contexts(config, section, *kind, at) for at in section.lengths)


def corpus_file(corpus: str) -> str:
    """Returns the path of a corpus."""
    return f"corpora/{corpus}.jsonl"


def domains_of(section: Lifbench, scenario: str) -> list[str]:
    """Returns the domains of which contexts are built: the paper's ("") and those compared."""
    compared = (name for of, names in section.domains.items() if of == scenario for name in names)
    return ["", *(name for name in compared if name != usual_domain(scenario))]


def context_file(scenario: str, length: str, domain: str = "") -> str:
    """Returns the path of a scenario's contexts of a length, of the paper's domain or another."""
    folder = f"{scenario}/{domain}" if domain else scenario
    return f"{NAME}/contexts/{folder}/{length}.jsonl"


def expression_file(task: str) -> str:
    """Returns the path of a task's expressions."""
    return f"{NAME}/expressions/{task}.json"


def _corpus(config: Config, section: Lifbench, corpus: CorpusName) -> DataFile:
    source = config.corpora.source
    settings: Record = {"corpus": corpus}
    files: list[Path] = []
    match source:
        case "synthetic":
            settings |= {"seed": config.seed, "tokens": synthetic_tokens(section)}
        case "local":
            settings |= facts("corpora/local.yaml")[corpus]
            if own := config.corpora.local.get(corpus):
                settings |= own.model_dump()
            settings["directory"] = config.corpora.directory
            files = matching(corpus, settings["directory"], settings["glob"])
        case "hub":
            data_set = config.corpora.hub.get(corpus)
            settings |= (
                data_set.model_dump(exclude_none=True)
                if data_set
                else facts("corpora/hub.yaml")[corpus]
            )
            settings["lock"] = config.corpora.lock
    return DataFile(
        corpus_file(corpus),
        "corpus",
        Component(f"steadfast.corpora.{source}:corpus", settings),
        files=tuple(map(str, files)),
        needs=_corpus_needs(source, settings),
    )


def synthetic_tokens(section: Lifbench) -> int:
    """Tokens of a synthetic corpus: twice the longest budget of all contexts, in powers of two.

    Eight times where documents, which take the beginning of each text, are of one corpus alone.
    """
    times = 8 if "multidoc" in section.domains else 2
    need = times * max(section.lengths.values()) * section.contexts_per_length
    return max(LEAST_TOKENS, 1 << (need - 1).bit_length())


def _contexts(
    config: Config, section: Lifbench, scenario: str, domain: str, length: str
) -> DataFile:
    made_of, formats = facts_of(scenario, domain), formats_of(scenario, section.formats)
    settings: Record = {
        "length": length,
        "budget": section.lengths[length],
        "seeds": list(range(config.seed, config.seed + section.contexts_per_length)),
        "tokenizer": config.tokenizer,
    }
    if domain:
        settings |= {name: value for name, value in made_of.items() if name != "corpora"}
        settings["domain"], formats = domain, formats[:1]
    if formats != [NUMBERED]:
        settings["formats"] = formats
    return DataFile(
        context_file(scenario, length, domain),
        "contexts",
        Component(
            f"steadfast.benchmarks.lifbench.contexts.{BUILDERS[scenario]}:contexts", settings
        ),
        {corpus: corpus_file(corpus) for corpus in made_of["corpora"]},
    )


def released_inputs(section: Lifbench, scenarios: Sequence[str]) -> list[str]:
    """Returns the user's files of released contexts that are needed; none if they are fetched."""
    directory = section.released.directory
    if section.contexts == "own" or directory is None:
        return []
    return [str(in_directory(directory, input_name(name))) for name in scenarios]


def _released_input(config: Config, section: Lifbench, scenario: str) -> DataFile:
    name = input_name(scenario)
    directory = section.released.directory
    return DataFile(
        f"{NAME}/released/{name}",
        "released_contexts",
        Component(
            "steadfast.benchmarks.lifbench.released_files:input_file",
            {"scenario": scenario, "directory": directory, "lock": config.corpora.lock},
        ),
        files=tuple(released_inputs(section, [scenario])),
        needs=input_needs(directory, scenario),
    )


def _released_contexts(config: Config, section: Lifbench, scenario: str, length: str) -> DataFile:
    inputs = {"contexts": f"{NAME}/released/{input_name(scenario)}"}
    if section.published_prompts:
        inputs["templates"] = RELEASED_TEMPLATES
    settings: Settings = {
        "scenario": scenario,
        "length": length,
        "budget": section.lengths[length],
        "tokenizer": config.tokenizer,
    }
    return DataFile(
        context_file(scenario, length),
        "contexts",
        Component("steadfast.benchmarks.lifbench.contexts.released:contexts", settings),
        inputs,
    )


def _templates(whose: str) -> dict[str, str]:
    """Returns the file that templates come from, as an input; none where they are packaged."""
    return {"templates": RELEASED_TEMPLATES} if whose == "released" else {}


def _expressions(config: Config, section: Lifbench, task: str) -> DataFile:
    whose, recs = section.expressions, section.recs
    name = f"steadfast.benchmarks.lifbench.expressions:{whose}_expressions"
    worded = TASKS[task].worded
    settings: Settings = {"task": worded}
    inputs: dict[str, str] = _templates(whose)
    files: tuple[str, ...] = ()
    if whose == "recs":
        whose, name = (
            recs.originals,
            "steadfast.benchmarks.lifbench.recs.statistics:sampled_expressions",
        )
        steps = ("candidates", "vectors", "clusters")
        inputs = {step: recs_file(step, task) for step in steps} | _templates(whose)
        # Where a text is to be accepted first, the file to do that in stands there already.
        inputs["review"] = recs_file("review", task, "yaml")
        review = review_file(section, task)
        files = (review,) if review else ()
        settings = {
            "task": worded,
            "review": RELEASED if recs.review == RELEASED else review,
            "sampling": recs.sampling,
            "draws": recs.draws if recs.sampling == "both" else 1,
            "seed": config.seed,
            "directory": section.released.directory,
        }
    own = () if whose == "released" else (f"lifbench/expressions/{task}.yaml",)
    content: Component[Any] = Component(name, settings, own)
    return DataFile(expression_file(task), "expressions", content, inputs, files)


def _own_expressions(task: OwnTask) -> DataFile:
    name = "steadfast.benchmarks.lifbench.expressions:own_expressions"
    settings = {"task": task.task.worded, "templates": task.templates}
    return DataFile(expression_file(task.id), "expressions", Component(name, settings))


def _corpus_needs(source: str, settings: Settings) -> Needs:
    """Returns the address of a corpus on the hub, at its revision; of its first name alone."""
    if source != "hub":
        return NOTHING
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC
    return Needs((f"{hub}/api/datasets/{settings['repo']}/revision/{settings['revision']}",))
