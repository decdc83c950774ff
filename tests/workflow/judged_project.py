"""The judged benchmarks through Snakemake, with judges over HTTP."""

import csv
from collections.abc import Iterable, Mapping
from typing import Any

from judged_run import SentRequest, sent
from project import Project
from steadfast.files import read_jsonl
from steadfast.stages.samples import read_judge_prompts

TINY_DATA = {
    "followbench": {"groups": 1, "languages": ["en"]},
    "cfbench": {"records": 16},
    "complexbench": {"instances": 12, "languages": ["zh"]},
}
MODELS = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated", "slip": 0.4}}


def http(url: str, **settings: Any) -> dict[str, Any]:
    """A judge's settings."""
    judge = {"engine": "openai", "model": "judge-1", "base_url": url, "api_key_env": None}
    return judge | {"backoff": 0.01} | settings


def config(
    judges: Mapping[str, Any],
    data: Mapping[str, Any] = TINY_DATA,
    models: Mapping[str, Any] = MODELS,
    **changes: Any,
) -> dict[str, Any]:
    """A config of the benchmarks that have data."""
    return {"benchmarks": list(data), **data, "judges": judges, "models": models, **changes}


def rows(project: Project, path: str) -> list[dict[str, str]]:
    """The rows of a CSV file below results."""
    with open(project.path(f"results/{path}"), newline="") as lines:
        return list(csv.DictReader(lines))


def judged(
    project: Project, benchmarks: Iterable[str] = TINY_DATA
) -> list[tuple[str, SentRequest, dict]]:
    """Model, judge request and score record of all answers that were judged."""
    found = []
    for path in sorted(project.folder.glob("results/*/judging/*/*.jsonl")):
        benchmark, model = path.parts[-4], path.parts[-2]
        if benchmark in benchmarks:
            scores = project.path(f"results/{benchmark}/scores/{model}/{path.name}")
            by_sample = {record["sample_id"]: record for record in read_jsonl(scores)}
            requests = sent(path.stem, read_judge_prompts(path))
            found += [(model, r, by_sample[r.answer_id]) for r in requests]
    return found
