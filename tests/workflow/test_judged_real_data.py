"""All of FollowBench and CFBench as published, a simulated model, a judge over HTTP, to tables."""

from collections import Counter

import pytest

from judge_server import MANNERS, judging, some, truth
from judged_project import config, http, judged, new_project
from released_files import released_folder

pytestmark = [pytest.mark.workflow, pytest.mark.heavy]

MODEL = "slips"
# Answers, and those that are judged (../shared/*/SPEC.md, sections 1 and 3).
ITEMS = {"followbench": {"en": (820, 470), "zh": (790, 460)}, "cfbench": {"zh": (1000, 1000)}}
MEASURES = {"followbench": {"HSR", "SSR", "CSL"}, "cfbench": {"CSR", "ISR", "PSR"}}
SETTINGS = {"followbench": {"languages": ["en", "zh"]}, "cfbench": {}}


@pytest.mark.parametrize("name", ITEMS)
def test_published_data_run_to_tables(name, tmp_path):
    directory = str(released_folder(name, "data"))
    section = {"source": "local", "directory": directory, **SETTINGS[name]}
    with judging() as judge:
        judge.manner = some(*MANNERS, share=0.03)
        judges = {"http": http(judge.url, max_concurrency=16)}
        project = new_project(tmp_path, config(judges, {name: section}, [MODEL]))
        project.snakemake()
    assert judge.strange == []

    judged_counts = Counter()
    unreadable = set()
    for _, request, score in judged(project):
        judged_counts[request.part] += 1
        if judge.manner(request.query) == "good":
            assert request.verdicts(score) == truth(request.query)
        else:
            assert (score["status"], score["points"]) == ("invalid", None)
            unreadable.add(request)
    assert len(judge.judged) == judged_counts.total() + 2 * len(unreadable)
    assert judged_counts.keys() == ITEMS[name].keys()
    for part, (answer_count, judged_count) in ITEMS[name].items():
        assert judged_counts[part] == judged_count
        assert len(project.records(f"{name}/scores/{MODEL}/{part}.jsonl")) == answer_count

    summary = project.rows(f"{name}/metrics/summary.csv")
    assert {row["measure"] for row in summary} == MEASURES[name]
    for row in summary:
        assert 0 < float(row["low"]) <= float(row["value"]) <= float(row["high"])
        assert float(row["n"]) < float(row["expected"])
    (row,) = project.rows("tables/summary.csv")
    assert row["marks"].count("incomplete") == len(MEASURES[name] & {"HSR", "CSL", "PSR"})
