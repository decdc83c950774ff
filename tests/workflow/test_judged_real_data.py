"""All of FollowBench and CFBench as published, a reader, a judge over HTTP, to tables."""

import os
from collections import Counter
from pathlib import Path

import pytest

from judge_server import MANNERS, judging, some, truth
from judged_project import config, http, judged, new_project
from project import ROOT, Project

pytestmark = [pytest.mark.workflow, pytest.mark.heavy]

rows = Project.rows
READER = "slips"
# Answers, and those that a judge is asked about (../shared/*/SPEC.md, sections 1 and 3).
ITEMS = {"followbench": {"en": (820, 470), "zh": (790, 460)}, "cfbench": {"zh": (1000, 1000)}}
MEASURES = {"followbench": {"HSR", "SSR", "CSL"}, "cfbench": {"CSR", "ISR", "PSR"}}
SETTINGS = {"followbench": {"languages": ["en", "zh"]}, "cfbench": {}}


def data_of(name: str) -> Path:
    """The directory with a benchmark's published files; skips the test where there is none."""
    variable = f"{name.upper()}_DATA"
    directory = Path(os.environ.get(variable, ROOT / f"../shared/{name}/data"))
    if not directory.is_dir():
        pytest.skip(f"no data of {name}: set {variable} to the directory that has them")
    return directory.resolve()


@pytest.mark.parametrize("name", ITEMS)
def test_published_data_through_prompts_a_reader_and_a_judge_to_tables(name, tmp_path):
    data = {"source": "local", "directory": str(data_of(name)), **SETTINGS[name]}
    with judging() as judge:
        judge.manner = some(*MANNERS, share=0.03)
        judges = {"http": http(judge.url, max_concurrency=16)}
        project = new_project(tmp_path, config(judges, {name: data}, [READER]))
        project.snakemake()
    assert judge.strange == []

    answers = Counter()
    bad = set()
    for _, request, score in judged(project):
        answers[request.part] += 1
        if judge.manner(request.asked) == "good":
            assert request.verdicts(score) == truth(request.asked)
        else:
            assert (score["status"], score["points"]) == ("invalid", None)
            bad.add(request)
    assert answers == {part: asked for part, (_, asked) in ITEMS[name].items()}
    assert len(judge.judged) == answers.total() + 2 * len(bad)

    for part, (items, _) in ITEMS[name].items():
        scores = project.path(f"results/{name}/scores/{READER}/{part}.jsonl")
        assert scores.read_text().count("\n") == items
    summary = rows(project, f"{name}/metrics/summary.csv")
    assert {row["measure"] for row in summary} == MEASURES[name]
    for row in summary:
        assert 0 < float(row["low"]) <= float(row["value"]) <= float(row["high"])
        assert float(row["n"]) < float(row["expected"])
    (shown,) = rows(project, "tables/summary.csv")
    assert shown["marks"].count("incomplete") == len(MEASURES[name] & {"HSR", "CSL", "PSR"})
