"""The files of LIFBench's data: corpora, the contexts and expressions made of them."""

from collections.abc import Iterator, Sequence

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import released_files as released
from steadfast.benchmarks.lifbench.expressions import own_files
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs import files as recs
from steadfast.benchmarks.lifbench.section import Lifbench
from steadfast.benchmarks.lifbench.tasks import NAME, in_order
from steadfast.contract.long_texts import contexts_file, corpus_file
from steadfast.contract.package import Package
from steadfast.contract.task import DataFile
from steadfast.corpora.contexts.domains import facts_of, usual_domain
from steadfast.corpora.contexts.formats import NUMBERED, formats_of
from steadfast.schema.config import Config

OWN = Package(NAME)
RANDOM_SAMPLES = 5
"""Of expressions, where RECS's own are compared with random ones (Figure 7)."""
RELEASED_TEMPLATES = f"{NAME}/released/tasks.json"


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
        needs=released.fetched(directory, [facts("lifbench/released.yaml")["url"]]),
    )
    files = [*contexts(config, section, scenarios), templates]
    if section.expressions == "recs":
        files += recs.recs_files(config, section, tasks, _templates(section.recs.originals))
    files += [_expressions(config, section, task) for task in tasks]
    return files


def _built_contexts(
    config: Config, section: Lifbench, scenarios: Sequence[str]
) -> Iterator[DataFile]:
    """Yields the corpora, and of each scenario and domain the contexts by length."""
    kinds: list[tuple[str, str]] = []
    files: dict[str, DataFile] = {}
    for scenario in scenarios:
        for domain in domains_of(section, scenario):
            kinds.append((scenario, domain))
            for name in facts_of(scenario, domain)["corpora"]:
                files.setdefault(name, corpus_file(config, name, synthetic_tokens(section)))
    yield from files.values()
    seeds = list(range(config.seed, config.seed + section.contexts_per_length))
    for scenario, domain in kinds:
        made_of = facts_of(scenario, domain)
        formats = formats_of(scenario, section.formats)
        paths = {name: files[name].path for name in made_of["corpora"]}
        fields: Record = {}
        if domain:
            fields = {**made_of, "domain": domain}
            del fields["corpora"]
            formats = formats[:1]
        if formats != [NUMBERED]:
            fields["formats"] = formats
        if section.contexts == "nested":
            fields["nested"] = True
        for length, budget in section.lengths.items():
            path = context_file(scenario, length, domain)
            at = {"length": length, "budget": budget, "seeds": seeds, "tokenizer": config.tokenizer}
            yield contexts_file(path, scenario, paths, at | fields)


def domains_of(section: Lifbench, scenario: str) -> list[str]:
    """Returns the domains of which contexts are built: the paper's ("") and those compared."""
    domains = [""]
    for compared_scenario, names in section.domains.items():
        if compared_scenario == scenario:
            domains += filter(usual_domain(scenario).__ne__, names)
    return domains


def context_file(scenario: str, length: str, domain: str = "") -> str:
    """Returns the path of a scenario's contexts of a length, of the paper's domain or another."""
    folder = f"{scenario}/{domain}" if domain else scenario
    return f"{NAME}/contexts/{folder}/{length}.jsonl"


def expression_file(task: str) -> str:
    """Returns the path of a task's expressions."""
    return f"{NAME}/expressions/{task}.json"


def synthetic_tokens(section: Lifbench) -> int:
    """Tokens that a synthetic corpus has at least: twice the longest budget of all contexts.

    Eight times where documents, which take the beginning of each text, are of one corpus alone.
    """
    times = 8 if "multidoc" in section.domains else 2
    return times * max(section.lengths.values()) * section.contexts_per_length


def released_inputs(section: Lifbench, scenarios: Sequence[str]) -> list[str]:
    """Returns the user's files of released contexts that are needed; none if they are fetched."""
    directory = section.released.directory
    if section.contexts != "released" or directory is None:
        return []
    return [str(released.in_directory(directory, released.input_name(name))) for name in scenarios]


def _released_contexts(
    config: Config, section: Lifbench, scenarios: Sequence[str]
) -> Iterator[DataFile]:
    """Yields the released file of each scenario, and its contexts by length."""
    directory = section.released.directory
    published = {"templates": RELEASED_TEMPLATES} if section.published_prompts else {}
    for scenario in scenarios:
        path = f"{NAME}/released/{released.input_name(scenario)}"
        settings = {"scenario": scenario}
        yield DataFile(
            path,
            "released_contexts",
            OWN.component("released_files:input_file", {**settings, "directory": directory}),
            files=tuple(released_inputs(section, [scenario])),
            needs=released.input_needs(directory, scenario),
        )
        inputs = {"contexts": path, **published}
        for length, budget in section.lengths.items():
            at = {"length": length, "budget": budget, "tokenizer": config.tokenizer}
            content = OWN.component("released_contexts:contexts", settings | at)
            yield DataFile(context_file(scenario, length), "contexts", content, inputs)


def _templates(whose: str) -> dict[str, str]:
    """Returns the file that templates come from, as an input; none where they are packaged."""
    return {"templates": RELEASED_TEMPLATES} if whose == "released" else {}


def _expressions(config: Config, section: Lifbench, task: str) -> DataFile:
    whose = section.expressions
    function = f"expressions:{whose}_expressions"
    worded = TASKS[task].worded
    settings: Settings = {"task": worded}
    inputs: dict[str, str] = _templates(whose)
    files: tuple[str, ...] = ()
    if whose == "recs":
        whose = section.recs.originals
        function = "recs.statistics:sampled_expressions"
        steps = ("candidates", "vectors", "clusters")
        inputs = {step: recs.recs_file(step, task) for step in steps} | _templates(whose)
        # Where a text is to be accepted first, the file to do that in stands there already.
        inputs["review"] = recs.recs_file("review", task, "yaml")
        review = recs.review_file(section, task)
        files = (review,) if review else ()
        settings = {
            "task": worded,
            "review": recs.RELEASED if section.recs.review == recs.RELEASED else review,
            "sampling": section.recs.sampling,
            "samples": RANDOM_SAMPLES if section.recs.sampling == "both" else 1,
            "seed": config.seed,
            "directory": section.released.directory,
        }
    own = () if whose == "released" else own_files(task, TASKS[task].scenario)
    content = OWN.component(function, settings, own)
    return DataFile(expression_file(task), "expressions", content, inputs, files)
