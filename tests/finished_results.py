"""The results of a run of one benchmark, made in this process by the stages as the rules do."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from prepared import Prepared
from steadfast.base.files import write_text
from steadfast.base.provenance import Provenance
from steadfast.config import portable, settings
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests, Step
from steadfast.jobs.job import Job, scores_path
from steadfast.stages.count_usage import write_usage
from steadfast.stages.measure import measure
from steadfast.stages.one_load import run_job
from steadfast.stages.tabulate import tabulate


def finish(raw: Mapping[str, Any], results: Path) -> Evaluation:
    """Makes the results of a config, each file with its provenance, and returns its run."""
    prepared = Prepared(raw, results)
    run = Evaluation(prepared.config)
    steps = InputDigests(run)
    name = prepared.name
    task = prepared.task

    def note(path: str, step: Step, *inputs: str) -> None:
        files = tuple(results / file for file in inputs)
        digest = step.input_digest
        Provenance.beside(results / path, digest, inputs=files, results=results).write()

    prepared.make_data()
    prepared.write_prompts()
    for path in run.running_data:
        note(path, steps.data(path))
    for part in task.parts:
        note(run.prompts(Job("inference", name, "", part)), steps.prompts(name, part))
    for job in run.jobs:
        if job.judge:
            prepared.write_judge_prompts(job.model, job.part)
            note(run.prompts(job), steps.requests(job))
        assignment = prepared.assignment(job)
        assignment = replace(assignment, input_digest=steps.replies(job).input_digest)
        run_job(assignment, raw[job.role][job.name])
    scores = {}
    for model, part in product(run.models_of(name), task.parts):
        prepared.score(model, part, *run.judges_of(name, model))
        scores[model, part] = results / scores_path(name, model, part)
        outputs = Job("inference", name, model, part).outputs
        note(scores_path(name, model, part), steps.scores(name, model, part), outputs)
    metrics = {metric: results / f"{name}/metrics/{metric}.csv" for metric in task.metrics.names}
    sources = {part: prepared.part(part).sources for part in task.parts}
    fields = task.metrics.fields
    measure(task.metrics.function.plain, scores, fields, sources, None, metrics)
    digest = steps.metrics(name).input_digest
    provenance = results / f"{name}/metrics/provenance.json"
    inputs = tuple(scores.values())
    Provenance(digest, provenance, tuple(metrics.values()), "", inputs, results).write()
    display = settings.display(prepared.config)
    tabulate(task.tables.function.plain, metrics, display, results / "tables")
    for figure in task.figures.names:  # drawing takes seconds
        write_text(results / f"figures/{name}_{figure}.svg", "<svg/>")
        write_text(results / f"figures/{name}_{figure}.txt", f"About {figure}.")
    prices = {role: {} for role in ("models", "judges", "rewriters")}
    usage = results / "metrics/inference.csv"
    write_usage(run.jobs, [results / job.outputs for job in run.jobs], prices, results, usage)
    config = portable.as_yaml(portable.portable(prepared.config))
    write_text(results / portable.CONFIG_FILE, config)
    portable.config_provenance(results, [name]).write()
    return run
