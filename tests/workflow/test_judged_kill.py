"""The workflow killed while a judge is asked again, and started again: no reply paid for twice."""

import pytest

from judge_server import always, at_first, judging
from judged_project import config, http, judged, new_project, rows

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

RECORDS = 24
CONCURRENCY = 4


def test_killed_while_judging_and_started_again(tmp_path):
    with judging(delay=0.02) as judge:
        judge.manner = at_first(always("prose"))
        judges = {"http": http(judge.url, max_concurrency=CONCURRENCY)}
        settings = config(judges, {"cfbench": {}}, ["slips"])
        project = new_project(tmp_path, settings)
        # All are asked once, and some of them again.
        project.killed(lambda: judge.answered.total() >= RECORDS * 4 // 3)
        assert not project.path("results/cfbench/verdicts/http/slips/zh.jsonl").exists()

        project.snakemake()
        assert len(set(judge.judged)) == 2 * RECORDS
        assert len(judge.judged) - 2 * RECORDS <= CONCURRENCY
    assert {score["status"] for _, _, score in judged(project)} == {"ok"}
    assert {row["n"] for row in rows(project, "cfbench/metrics/headline.csv")} == {str(RECORDS)}
