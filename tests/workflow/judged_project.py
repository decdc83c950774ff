"""The judged benchmarks through Snakemake, with judges over HTTP."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from judged_run import JudgedRun, SentRequest, sent
from project import Project, over_http
from steadfast.base.files import write_jsonl
from steadfast.contract.part_files import read_judge_prompts

TINY_DATA = {
    "followbench": {"languages": ["en"]},
    "cfbench": {},
    "complexbench": {"languages": ["zh"]},
}
HOW = {"gold": "reference", "slips": "simulated"}
"""Models whose answers are replayed, and the simulator that gives them: answers that say what they
kept, so that a judge over HTTP can go by that."""


def replayed(*names: str) -> dict[str, Any]:
    """The settings of such models."""
    file = "answers/{name}/{{benchmark}}.{{part}}.jsonl"
    return {name: {"engine": "replay", "file": file.format(name=name)} for name in names}


def http(url: str, **settings: Any) -> dict[str, Any]:
    """A judge's settings."""
    return over_http(url, **{"model": "judge-1"} | settings)


def config(
    judges: Mapping[str, Any],
    data: Mapping[str, Any] = TINY_DATA,
    models: Iterable[str] = tuple(HOW),
    **changes: Any,
) -> dict[str, Any]:
    """A config of the benchmarks that have data, and of models of ``HOW``."""
    judged = {"judges": judges, "models": replayed(*models)}
    return {"benchmarks": list(data), **data, **judged, **changes}


def new_project(folder: Path, settings: Mapping[str, Any]) -> Project:
    """A project with that config, in which the answers of the models stand."""
    for name in settings["benchmarks"]:
        run = JudgedRun(name, settings[name])
        for part in run.samples:
            for model in settings["models"]:
                answers = run.answers(part, HOW[model])
                records = [{"sample_id": key, "text": one.text} for key, one in answers.items()]
                write_jsonl(folder / f"answers/{model}/{name}.{part}.jsonl", records)
    return Project.new(folder, dict(settings))


def judged(
    project: Project, benchmarks: Iterable[str] = TINY_DATA
) -> list[tuple[str, SentRequest, dict]]:
    """Model, judge request and score record of all answers that were judged."""
    found = []
    for path in sorted(project.folder.glob("results/*/judging/*/*.jsonl")):
        benchmark = path.parts[-4]
        model = path.parts[-2]
        if benchmark in benchmarks:
            scores = project.records(f"{benchmark}/scores/{model}/{path.name}")
            by_sample = {record["sample_id"]: record for record in scores}
            requests = sent(path.stem, read_judge_prompts(path))
            found += [(model, r, by_sample[r.answer_id]) for r in requests]
    return found
