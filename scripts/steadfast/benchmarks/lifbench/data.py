"""The files of LIFBench's data: corpora, contexts and expressions, and the steps of RECS."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from steadfast.base.commands import installation
from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import released_files as released
from steadfast.benchmarks.lifbench.expressions import own_files
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.section import Lifbench, SentenceEncoder
from steadfast.benchmarks.lifbench.tasks import NAME, in_order
from steadfast.contract.components import Component
from steadfast.contract.long_texts import contexts_file, corpus_file
from steadfast.contract.package import Package
from steadfast.contract.task import DataFile, Needs, Rewriting, rewrites_file
from steadfast.corpora.contexts.domains import facts_of, usual_domain
from steadfast.corpora.contexts.formats import NUMBERED, formats_of
from steadfast.schema.config import Config

OWN = Package(NAME)
# Of expressions, where RECS's own are compared with random ones (Figure 7).
RANDOM_SAMPLES = 5
RELEASED_TEMPLATES = f"{NAME}/released/tasks.json"
READING = "steadfast.judging.rewriting:readable"
SIMULATOR = "steadfast.judging.rewriting:RewriterSimulator"
ATTEMPTS = 3
ROUND = "recs"
RECS_REQUESTS = f"{NAME}/recs/requests.jsonl"


def data_files(config: Config, section: Lifbench, tasks: Sequence[str]) -> list[DataFile]:
    """Returns all data files that the tasks need."""
    scenarios = in_order(TASKS[name].scenario for name in tasks)
    contexts = _released_contexts if section.contexts == "released" else _built_contexts
    pinned = {"pinned": True} if section.published_prompts else {}
    directory = section.released.directory
    templates = DataFile(
        RELEASED_TEMPLATES,
        "released_templates",
        OWN.component("released_files:tasks_file", {"directory": directory, **pinned}),
        needs=released.addresses_to_fetch(directory, [facts("lifbench/released.yaml")["url"]]),
    )
    files = [*contexts(config, section, scenarios), templates]
    expressions = _expressions
    if section.expressions == "recs":
        files += _recs_files(config, section, tasks)
        expressions = _sampled_expressions
    return files + [expressions(config, section, task) for task in tasks]


# --- contexts ---------------------------------------------------------------------------------


def _built_contexts(
    config: Config, section: Lifbench, scenarios: Sequence[str]
) -> Iterator[DataFile]:
    """Yields the corpora, and of each scenario and domain the contexts by length."""
    kinds: list[tuple[str, str]] = []
    for scenario in scenarios:
        kinds += [(scenario, domain) for domain in domains_of(section, scenario)]
    names = chain.from_iterable(facts_of(*kind)["corpora"] for kind in kinds)
    tokens = synthetic_tokens(section)
    corpora = {name: corpus_file(config, name, tokens) for name in dict.fromkeys(names)}
    yield from corpora.values()
    seeds = list(range(config.seed, config.seed + section.contexts_per_length))
    for scenario, domain in kinds:
        domain_facts = dict(facts_of(scenario, domain))
        paths = {name: corpora[name].path for name in domain_facts.pop("corpora")}
        formats = formats_of(scenario, section.formats)
        fields: Record = {}
        if domain:
            fields = {**domain_facts, "domain": domain}
            formats = formats[:1]
        if formats != [NUMBERED]:
            fields["formats"] = formats
        if section.contexts == "nested":
            fields["nested"] = True
        for length, budget in section.lengths.items():
            path = context_file(scenario, length, domain)
            settings = {"length": length, "budget": budget, "seeds": seeds}
            settings |= {"tokenizer": config.tokenizer, **fields}
            yield contexts_file(path, scenario, paths, settings)


def domains_of(section: Lifbench, scenario: str) -> list[str]:
    """Returns the domains of which contexts are built: the paper's ("") and those compared."""
    compared: dict[str, list[str]] = dict(section.domains.items())
    names = compared.get(scenario, [])
    return ["", *[name for name in names if name != usual_domain(scenario)]]


def context_file(scenario: str, length: str, domain: str = "") -> str:
    """Returns the path of a scenario's contexts of a length, of the paper's domain or another."""
    folder = f"{scenario}/{domain}" if domain else scenario
    return f"{NAME}/contexts/{folder}/{length}.jsonl"


def synthetic_tokens(section: Lifbench) -> int:
    """Returns the tokens of a synthetic corpus, at least: twice what the longest contexts take."""
    # Domains of documents have one corpus each, and documents take only the beginning of a text.
    times = 8 if "multidoc" in section.domains else 2
    return times * max(section.lengths.values()) * section.contexts_per_length


def released_inputs(section: Lifbench, scenarios: Sequence[str]) -> list[str]:
    """Returns the user's files of released contexts that are needed; none if they are fetched."""
    directory = section.released.directory
    if section.contexts != "released" or directory is None:
        return []
    return [str(released.released_path(directory, released.input_name(name))) for name in scenarios]


def _released_contexts(
    config: Config, section: Lifbench, scenarios: Sequence[str]
) -> Iterator[DataFile]:
    """Yields the released file of each scenario, and its contexts by length."""
    directory = section.released.directory
    source = facts("lifbench/released.yaml")["contexts"]
    published = {"templates": RELEASED_TEMPLATES} if section.published_prompts else {}
    for scenario in scenarios:
        name = released.input_name(scenario)
        path = f"{NAME}/released/{name}"
        settings = {"scenario": scenario}
        yield DataFile(
            path,
            "released_contexts",
            OWN.component("released_files:input_file", {**settings, "directory": directory}),
            files=tuple(released_inputs(section, [scenario])),
            needs=released.addresses_to_fetch(
                directory, [source["url"].format(**source, file=name)]
            ),
        )
        inputs = {"contexts": path, **published}
        for length, budget in section.lengths.items():
            at = {"length": length, "budget": budget, "tokenizer": config.tokenizer}
            content = OWN.component("released_contexts:contexts", settings | at)
            yield DataFile(context_file(scenario, length), "contexts", content, inputs)


# --- expressions ------------------------------------------------------------------------------


def expression_file(task: str) -> str:
    """Returns the path of a task's expressions."""
    return f"{NAME}/expressions/{task}.json"


def _templates(source: str) -> dict[str, str]:
    """Returns the file that templates come from, as an input; none where they are packaged."""
    return {"templates": RELEASED_TEMPLATES} if source == "released" else {}


def _packaged(source: str, tasks: Sequence[str]) -> list[str]:
    """Returns the packaged files of tasks' templates, where these are the project's own."""
    # Tasks of one scenario share its description.
    packaged: set[str] = set()
    for task in tasks if source != "released" else ():
        packaged.update(own_files(task, TASKS[task].scenario))
    return sorted(packaged)


def _expressions(config: Config, section: Lifbench, task: str) -> DataFile:
    """Returns the file of a task's templates as they are, the project's own or the released."""
    source = section.expressions
    function = f"expressions:{source}_expressions"
    settings = {"task": TASKS[task].expression_settings}
    content = OWN.component(function, settings, _packaged(source, [task]))
    return DataFile(expression_file(task), "expressions", content, _templates(source))


def _sampled_expressions(config: Config, section: Lifbench, task: str) -> DataFile:
    """Returns the file of the expressions that RECS samples."""
    recs = section.recs
    steps = ("candidates", "vectors", "clusters")
    inputs = {step: recs_file(step, task) for step in steps} | _templates(recs.originals)
    # Where a text is to be accepted first, the file to do that in stands there already.
    inputs["review"] = recs_file("review", task, "yaml")
    review = Path(recs.review or "", f"{task}.yaml")
    files = (str(review),) if recs.review is not None and review.is_file() else ()
    settings = {
        "task": TASKS[task].expression_settings,
        "review": files[0] if files else None,
        "sampling": recs.sampling,
        "samples": RANDOM_SAMPLES if recs.sampling == "both" else 1,
        "seed": config.seed,
    }
    function = "recs.expressions:sampled_expressions"
    content = OWN.component(function, settings, _packaged(recs.originals, [task]))
    return DataFile(expression_file(task), "expressions", content, inputs, files)


# --- RECS: a file for each step, so that each is made again by its own inputs alone ------------


def recs_file(step: str, task: str, kind: str = "jsonl") -> str:
    """Returns the path of what a step makes of a task."""
    return f"{NAME}/recs/{step}/{task}.{kind}"


def rewriters(section: Lifbench, config: Config) -> list[str]:
    """Returns the rewriters that are queried."""
    are_queried = section.expressions == "recs" and section.recs.rewrites == "own"
    return list(config.rewriters) if are_queried else []


def rewriting(section: Lifbench, config: Config) -> Rewriting | None:
    """Returns the rewriters' requests; None without rewriters."""
    names = rewriters(section, config)
    if not names:
        return None
    requests = {ROUND: RECS_REQUESTS}
    return Rewriting(requests, names, Component(READING), Component(SIMULATOR), ATTEMPTS)


def _recs_files(config: Config, section: Lifbench, tasks: Sequence[str]) -> Iterator[DataFile]:
    """Yields the files of all steps before the expressions themselves."""
    recs = section.recs
    names = rewriters(section, config)
    if names:
        settings = {
            "tasks": [TASKS[task].expression_settings for task in tasks],
            "count": recs.count,
            "originals": recs.originals,
            "directory": section.released.directory,
        }
        packaged = _packaged(recs.originals, tasks)
        content = OWN.component("recs.requests:requests", settings, packaged)
        yield DataFile(RECS_REQUESTS, "recs_requests", content, _templates(recs.originals))
    for task in tasks:
        yield from _steps(config, section, task, names)


def _steps(
    config: Config, section: Lifbench, task: str, rewriters: Sequence[str]
) -> Iterator[DataFile]:
    def file(
        step: str,
        function: str,
        settings: Settings,
        inputs: Mapping[str, str],
        needs: Needs = released.NOTHING,
        kind: str = "jsonl",
    ) -> DataFile:
        content = OWN.component(f"recs.{function}", settings)
        return DataFile(recs_file(step, task, kind), f"recs_{step}", content, inputs, needs=needs)

    recs = section.recs
    directory = section.released.directory
    source = facts("lifbench/recs/released.yaml")
    task_settings: Settings = {"task": TASKS[task].expression_settings}
    published: Settings = {**task_settings, "directory": directory}
    texts = {"candidates": recs_file("candidates", task)}
    clusters = {"clusters": recs_file("clusters", task)}
    if rewriters:
        replies = {name: rewrites_file(NAME, name, ROUND) for name in rewriters}
        inputs = {"requests": RECS_REQUESTS, **replies}
        yield file(
            "candidates", "requests:candidates", {**task_settings, "rewriters": rewriters}, inputs
        )
    else:
        needs = released.addresses_to_fetch(
            directory, [source["repository"] + source["rewrites"][task]]
        )
        yield file("candidates", "released:candidates", published, {}, needs)
    loaded = isinstance(recs.encoder, SentenceEncoder)
    needs = Needs(packages={"sentence_transformers": installation("embeddings")} if loaded else {})
    yield file("vectors", "vectors:vectors", {"encoder": recs.encoder.model_dump()}, texts, needs)
    if recs.partition == "released":
        needs = released.addresses_to_fetch(
            directory, [source["repository"] + source["clusters"][task]]
        )
        yield file("clusters", "released:clusters", published, texts, needs)
    else:
        settings = {"k": recs.clusters, "seed": config.seed, "starts": recs.starts}
        inputs = texts | {"vectors": recs_file("vectors", task)}
        yield file("clusters", "clusters:clusters", settings, inputs)
    yield file("review", "review:review", {"task": task}, texts | clusters, kind="yaml")
