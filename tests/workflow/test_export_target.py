"""Target export: what was built, as a data set; nothing is made again that has not changed."""

import pytest

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


def test_the_built_benchmark_is_exported_and_only_made_again_for_a_reason(project):
    said = project.snakemake("export")
    assert "Rule: inference" not in said
    out = project.path("results/export/lifbench")
    before = (out / "prompts/2k.parquet").read_bytes()
    assert "Nothing to be done" in project.snakemake("export")
    project.edit("resources/lifbench/expressions/LSI.yaml", "Go to the", "Please go to the")
    project.snakemake("export")
    assert (out / "prompts/2k.parquet").read_bytes() != before
