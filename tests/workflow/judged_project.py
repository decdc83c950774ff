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
"""Models whose answers are replayed, and the simulator of these answers: each states which
constraints it keeps, so that a judge over HTTP can go by that."""


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
    replayed = {}
    for name in models:
        file = f"answers/{name}/{{benchmark}}.{{part}}.jsonl"
        replayed[name] = {"engine": "replay", "file": file}
    return {"benchmarks": list(data), **data, "judges": judges, "models": replayed, **changes}


def new_project(folder: Path, settings: Mapping[str, Any]) -> Project:
    """A project with that config and the files of the models' answers."""
    for name in settings["benchmarks"]:
        run = JudgedRun(name, settings[name])
        for part in run.samples:
            for model in settings["models"]:
                answers = run.answers(part, HOW[model])
                records = [{"sample_id": id, "text": answer.text} for id, answer in answers.items()]
                write_jsonl(folder / f"answers/{model}/{name}.{part}.jsonl", records)
    return Project.new(folder, dict(settings))


def judged(
    project: Project, benchmarks: Iterable[str] = TINY_DATA
) -> list[tuple[str, SentRequest, dict]]:
    """Model, judge request and score record of all judged answers."""
    rows = []
    for path in sorted(project.folder.glob("results/*/judging/*/*.jsonl")):
        benchmark = path.parts[-4]
        model = path.parts[-2]
        if benchmark in benchmarks:
            scores = project.records(f"{benchmark}/scores/{model}/{path.name}")
            by_sample = {record["sample_id"]: record for record in scores}
            for request in sent(path.stem, read_judge_prompts(path)):
                rows.append((model, request, by_sample[request.answer_id]))
    return rows
