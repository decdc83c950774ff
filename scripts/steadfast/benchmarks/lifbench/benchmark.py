"""LIFBench's task for a config, with its checks and exports."""

from collections.abc import Sequence

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import data as files
from steadfast.benchmarks.lifbench import paper_tasks, released_scores
from steadfast.benchmarks.lifbench.records import Beyond
from steadfast.benchmarks.lifbench.released_files import released_lengths, scores_file
from steadfast.benchmarks.lifbench.section import Lifbench
from steadfast.benchmarks.lifbench.tasks import JUDGE_TEMPLATE, NAME, in_order
from steadfast.config.settings import baseline, queried_models, references, scored_models
from steadfast.contract import components, data_notes, package, records
from steadfast.contract.exports import Exports, exports_by
from steadfast.contract.judge_template import packaged_files, templates_of
from steadfast.contract.task import Benchmark, DataFile, Judging, Measure, Part, Task, Trial
from steadfast.corpora.contexts.formats import CONTENT, NUMBERED
from steadfast.schema.config import Config

NO_REWRITER = """lifbench.expressions: recs needs models that paraphrase; name some under \
rewriters, such as
  gpt-4o:
    {engine: openai, model: gpt-4o-2024-08-06, temperature: 1}
or set lifbench.recs.rewrites: released"""
# Keys of the section that say what was built, as far as the section has them; none is a path.
SHOWN = {"lengths", "contexts", "contexts_per_length", "formats", "domains", "expressions"}
OWN = package.Package(NAME)
TITLE = "LIFBench"
METRICS = (
    "ars", "ifp", "ifs", "coverage", "comparisons", "variance", "depth", "complexity",
    "weights", "rubrics", "summary", "data", "sampling_units", "baseline",
)  # fmt: skip


def task(config: Config, section: Lifbench) -> Task:
    """Returns the task of LIFBench for a config; a part is a length."""
    names: list[str] = [name for name in paper_tasks.TASKS if name in section.tasks]
    tasks = [paper_tasks.TASKS[name] for name in names]
    scenarios = in_order(task.scenario for task in tasks)
    # Further settings only where there is a judge: those of all other runs stay as they are.
    judged = {"judged": True} if section.judge else {}
    scoring = {"weighting": section.weighting, "rubric": section.rubric}
    directory = section.released.directory
    scored = scored_models(config)
    several = len(section.lengths) > 1
    nested = section.contexts == "released" or bool(scored)
    sampled = _sampled(section)
    # IFS between lengths, and so its average, takes several.
    by_judge = judged if several else {}
    further = (*sampled, *(["rubric_stability"] if by_judge else ()))
    further += ("effective_context_length",) if several else ()
    beyond = beyond_paper(section, scenarios)
    scores_files = [f"{directory}/scores/{scores_file(task)}" for task in tasks if directory]
    data = files.data_files(config, section, names)
    parts = {}
    for length, budget in section.lengths.items():
        parts[length] = Part(budget, _sources(section, length, names, scenarios))
    prompts = {
        "seed": config.seed,
        "tasks": [task.prompt_settings for task in tasks],
        "formats": list(section.formats),
        "released": section.published_variables,
    }
    metric_names = [*METRICS, *further]
    metric_names += ["nested"] if nested else []
    metric_names += ["perspectives"] if beyond else []
    metrics = {
        **scoring,
        "references": references(config),
        "baseline": baseline(config),
        "beyond": beyond,
        "effective_context_length": several,
        "nested": nested,
        **by_judge,
    }
    same = section.published_prompts
    table_names = [*facts("lifbench/tables.yaml")["captions"], *further]
    table_names += [f"{perspective}s" for perspective in beyond]
    table_names += ["reproduction"] if scored else []
    tables = {**scoring, "beyond": beyond, "same_prompts": same, "released": scored}
    released = {"directory": directory, "tasks": names, "same": same}
    simulator = "simulator:LifbenchSimulator"
    return Task(
        parts=parts,
        data=data,
        prompts=OWN.component("prompts:prompts", prompts),
        units=OWN.component("measures:units", {"rubric": section.rubric}),
        samples=OWN.component("samples:LifbenchSamples"),
        simulator=OWN.component(simulator),
        scoring=OWN.component("scoring:LifbenchScoring", {"rubric": section.rubric, **judged}),
        metrics=OWN.output(
            "metrics:metrics",
            metric_names,
            metrics,
            data=("expressions",) if sampled else (),
            fields=("expression_id", "variable_id", "rubric", "depth"),
        ),
        tables=OWN.tables(table_names, tables),
        figures=OWN.output("figures:figures", _figures((*METRICS, *further)), scoring),
        released_scores=OWN.component("released_scores:released_scores", released),
        released_files=scores_files or (),
        released_needs=released_scores.scores_needs(directory, tasks),
        weights=OWN.component("scored_tasks:task_weights", scoring),
        # Which answer can expect most depends on the rubric; no other simulator's does.
        baseline=OWN.component(simulator, {"rubric": section.rubric}),
        passages=OWN.component("passages:passages"),
        trial=Trial(spread=("context_id", "expression_id", "variable_id", "format")),
        exports=exports(config, section, names, data),
        judging=_judging(config) if section.judge else None,
        rewriting=files.rewriting(section, config),
        files=_files(section, scenarios, scores_files if scored else ()),
        data_note=_data_note(config, section),
    )


def _judging(config: Config) -> Judging:
    templates = templates_of(NAME, [JUDGE_TEMPLATE], {})
    return Judging(
        prompts=OWN.component("judge:LifbenchJudgePrompts", resources=packaged_files(templates)),
        readable=OWN.component("judge:readable"),
        simulator=OWN.component("judge:LifbenchJudge"),
        templates=templates,
        attempts=config.judging.attempts,
    )


def _data_note(config: Config, section: Lifbench) -> str:
    """Returns the sentence about the data; on released scores where no model is evaluated."""
    if not set(queried_models(config)) & set(config.running):
        return data_notes.scores_note(TITLE)
    contexts = section.contexts if section.contexts == "released" else config.corpora.source
    return data_notes.prompts_note(TITLE, contexts, section.expressions)


def _figures(metrics: Sequence[str]) -> list[str]:
    strings = facts("lifbench/figures.yaml")
    return [name for name in strings["captions"] if strings["needs"].get(name, "ars") in metrics]


def _sources(
    section: Lifbench, length: str, tasks: Sequence[str], scenarios: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Returns the files of a length's contexts and of expressions, by kind and name."""
    sources = {}
    for scenario in scenarios:
        for domain in files.domains_of(section, scenario):
            name = f"{scenario}/{domain}" if domain else scenario
            sources["contexts", name] = files.context_file(scenario, length, domain)
    for task in tasks:
        sources["expressions", task] = files.expression_file(task)
    return sources


def _sampled(section: Lifbench) -> tuple[str, ...]:
    """Returns the metrics, and tables of the same names, of expressions that were sampled."""
    if section.expressions != "recs":
        return ()
    return ("recs", "sampling") if section.recs.sampling == "both" else ("recs",)


def beyond_paper(section: Lifbench, running: Sequence[str]) -> Beyond:
    """Returns what is compared in each perspective beyond the paper's, by scenario."""
    groups: dict[str, dict[str, list[str]]] = {}
    if len(section.formats) > 1:
        groups["format"] = {name: list(section.formats) for name in running if name in CONTENT}
    if section.domains:
        domains = section.domains.items()
        groups["domain"] = {name: list(names) for name, names in domains if name in running}
    return groups


def check(config: Config, section: Lifbench) -> None:
    """Refuses what does not go together: released scores, RECS, contexts, comparisons."""
    if section.contexts == "released":
        _check_released_contexts(section)
    if config.adaptive and section.contexts_per_length != config.adaptive.contexts:
        raise ValueError(
            f"lifbench.contexts_per_length: {section.contexts_per_length}, but adaptive has rounds "
            f"of one context each; set it to adaptive.contexts, {config.adaptive.contexts}"
        )
    if "requests" in config.rewriters:
        raise ValueError("rewriters: the name requests is reserved; choose another name")
    is_recs_own = section.expressions == "recs" and section.recs.rewrites == "own"
    if is_recs_own and not config.rewriters:
        raise ValueError(NO_REWRITER)
    for name, model in config.models.items():
        if model.engine == "scored" and section.rubric != "released":
            raise ValueError(
                f"lifbench.rubric: {name} has released scores, which only the rubric "
                "'released' gave; set that rubric, or evaluate the model"
            )
        if model.engine == "scored" and section.judge:
            raise ValueError(
                f"lifbench.judge: {name} has released scores, and no responses to grade; remove "
                "judge, or evaluate the model"
            )
    running = in_order(paper_tasks.TASKS[name].scenario for name in section.tasks)
    if len(section.formats) > 1 and not set(running) & set(CONTENT):
        raise ValueError(
            "lifbench.formats: no task of list or multidoc runs, and only their contexts have "
            "several formats; name one under tasks, or remove formats"
        )
    for scenario in section.domains:
        if scenario not in running:
            raise ValueError(
                f"lifbench.domains: no task of {scenario} runs; name one under tasks, or remove "
                f"{scenario} from domains"
            )


def _files(
    section: Lifbench, scenarios: Sequence[str], scores: Sequence[str]
) -> list[tuple[str, str]]:
    """Returns the user's files that the section names, by its keys; released scores among them."""
    folder = section.recs.review
    named = [("lifbench.recs.review", folder)] if folder else []
    for path in (*files.released_inputs(section, scenarios), *scores):
        named.append(("lifbench.released.directory", path))
    return named


def _check_released_contexts(section: Lifbench) -> None:
    other = "formats" if section.formats != [NUMBERED] else "domains" if section.domains else ""
    if other:
        raise ValueError(
            f"lifbench.{other}: released contexts have only the paper's; remove {other} or set "
            "lifbench.contexts to nested"
        )
    if section.contexts_per_length > 1:
        raise ValueError(
            f"lifbench.contexts_per_length: {section.contexts_per_length}, but one context of each "
            "length was released; remove the key, or set lifbench.contexts to nested"
        )
    released = released_lengths()
    for name, budget in section.lengths.items():
        if released.get(name) != budget:
            listed = ", ".join(f"{length} {tokens}" for length, tokens in released.items())
            raise ValueError(
                f"lifbench.lengths: no context of {name} with {budget} tokens was released, only "
                f"of {listed}; name some of these, or set lifbench.contexts to nested"
            )


def exports(
    config: Config, section: Lifbench, tasks: Sequence[str], data: Sequence[DataFile]
) -> components.Component[Exports]:
    """Returns how LIFBench is exported."""
    settings: Record = {"seed": config.seed, "tokenizer": config.tokenizer}
    settings |= {"corpora": config.corpora.source, **section.model_dump(include=SHOWN)}
    settings["tasks"] = list(tasks)
    templates = str(section.expressions)
    if templates == "recs":
        settings["recs"] = section.recs.model_dump(exclude={"review", "encoder"})
        templates = f"recs of {section.recs.rewrites} rewrites"
    return exports_by(
        "lifbench/export.yaml",
        by="steadfast.benchmarks.lifbench.export:LifbenchExports",
        sources={**_texts(config, section, data), "templates": templates},
        settings=settings,
        length=next(iter(section.lengths)).replace("-", "_"),
    )


def _texts(config: Config, section: Lifbench, data: Sequence[DataFile]) -> dict[str, Record]:
    """Returns where the text of each corpus is from, or that the contexts are the released ones."""
    licences = facts("corpora/licences.yaml")
    if section.contexts == "released":
        return {"contexts": licences["released"]}
    texts: dict[str, Record] = {}
    for corpus in [file.content.settings for file in data if file.step == "corpus"]:
        name = corpus["corpus"]
        repo = corpus.get("repo")
        origin = f"{repo} at {corpus['revision']}" if repo else "a directory of your own"
        pinned = repo == facts("corpora/hub.yaml")[name]["repo"]
        texts[name] = {"origin": origin, **licences["hub"][name if pinned else "another"]}
        if config.corpora.source == "synthetic":
            texts[name] = licences["synthetic"]
    return texts


LIFBENCH = Benchmark(
    name=NAME,
    title=TITLE,
    section=Lifbench,
    task=task,
    measures={
        "ARS": Measure("ARS of LIFBench", compared={"task": records.OVERALL, "length": ""}),
        "IFS": Measure("IFS of LIFBench (smaller is more stable)", smaller=True),
    },
    released_models=released_scores.PAPER_MODELS,
    check=check,
    task_names=tuple(paper_tasks.TASKS),
    sample_names=(
        "task/context/expression/variables. LSI/list-4k-s1/e0/v3 is task LSI on the context with "
        "scenario list, length 4k and seed 1, in expression 0 with variable set 3."
    ),
)
