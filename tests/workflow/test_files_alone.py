"""The files say what they were made from, whatever Snakemake remembers or is told."""

import shutil

import pytest

from project import TINY, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

OTHER = "made from other settings, data or code than those of this config"
ANEW = {"inference": 2, "scores": 2, "lifbench_metrics": 1}
ANEW |= {"lifbench_tables": 1, "summary": 1, "tables": 1}
REPORT = "results/summary/summary.csv"
MODELS = TINY["models"]
OTHER_READER = {**TINY, "models": {**MODELS, "sim-a": {**MODELS["sim-a"], "span": 500}}}


@pytest.fixture
def changed(project) -> Project:
    """A finished project whose config then names another reader."""
    project.configure(OTHER_READER)
    return project


def test_without_snakemakes_memory(changed):
    shutil.rmtree(changed.path(".snakemake"))
    assert changed.planned() == ANEW


def test_with_other_triggers(changed):
    assert changed.planned("--rerun-triggers", "mtime") == ANEW


def test_a_run_without_metadata_and_the_first_config_again(changed):
    first = changed.path(REPORT).read_bytes()
    changed.snakemake("results/tables", "--drop-metadata")
    assert changed.path(REPORT).read_bytes() != first
    changed.configure(TINY)
    changed.snakemake()
    assert changed.path(REPORT).read_bytes() == first
    assert changed.planned() == {}


def test_a_part_of_the_run_shows_no_older_headline(changed):
    said = changed.snakemake("--until", "scores", "--", "results/tables")
    assert f"{OTHER}; run the workflow without this option" in said
    assert "| sim-a" not in said


def test_files_that_are_touched_are_as_good_as_before(project):
    project.snakemake("results/tables", "--touch")
    assert project.planned() == {}


def test_two_directories_share_a_folder_of_results(project, tmp_path_factory):
    results = project.path("results")
    config = {**OTHER_READER, "pathvars": {"results": str(results)}}
    other = Project.new(tmp_path_factory.mktemp("other"), config)
    first = project.path(REPORT).read_bytes()
    other.snakemake(f"{results}/tables")
    assert project.path(REPORT).read_bytes() != first
    project.snakemake()
    assert project.path(REPORT).read_bytes() == first
