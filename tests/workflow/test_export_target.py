"""Target export: the benchmark as a data set, made again only after a change."""

import pytest

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


def test_benchmark_is_exported_again_only_after_a_change(project):
    assert "Rule: inference" not in project.snakemake("export")
    prompts = project.path("results/export/lifbench/prompts/2k.parquet")
    before = prompts.read_bytes()
    assert "Nothing to be done" in project.snakemake("export")
    project.edit("resources/lifbench/expressions/LSI.yaml", "Go to the", "Please go to the")
    project.snakemake("export")
    assert prompts.read_bytes() != before
