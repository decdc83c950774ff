"""Provenance files decide what is out of date, whatever metadata and options Snakemake has."""

import shutil

import pytest

from project import TINY, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

OUTDATED = "made from other settings, data or code than those of this config"
JOBS = {"inference": 2, "scores": 2, "lifbench_metrics": 1, "lifbench_tables": 1}
JOBS |= {"summary": 1, "tables": 1}
SUMMARY = "results/summary/summary.csv"
MODELS = TINY["models"] | {"sim-a": TINY["models"]["sim-a"] | {"span": 500}}


@pytest.fixture
def changed(project) -> Project:
    """A finished run whose config has a changed model."""
    project.configure(TINY | {"models": MODELS})
    return project


def test_changed_model_is_planned_without_metadata(changed):
    shutil.rmtree(changed.path(".snakemake"))
    assert changed.planned() == JOBS


def test_changed_model_is_planned_with_other_triggers(changed):
    assert changed.planned("--rerun-triggers", "mtime") == JOBS


def test_first_config_gives_the_first_summary_again(changed):
    first = changed.path(SUMMARY).read_bytes()
    changed.snakemake("results/tables", "--drop-metadata")
    assert changed.path(SUMMARY).read_bytes() != first
    changed.configure(TINY)
    changed.snakemake()
    assert changed.path(SUMMARY).read_bytes() == first
    assert changed.planned() == {}


def test_partial_run_shows_no_outdated_summary(changed):
    output = changed.snakemake("--until", "scores", "--", "results/tables")
    assert f"{OUTDATED}; run the workflow without this option" in output
    assert "| sim-a" not in output


def test_touched_files_stay_up_to_date(project):
    project.snakemake("results/tables", "--touch")
    assert project.planned() == {}


def test_two_directories_share_a_folder_of_results(project, tmp_path_factory):
    results = project.path("results")
    config = TINY | {"models": MODELS, "pathvars": {"results": str(results)}}
    other = Project.new(tmp_path_factory.mktemp("other"), config)
    first = project.path(SUMMARY).read_bytes()
    other.snakemake(f"{results}/tables")
    assert project.path(SUMMARY).read_bytes() != first
    project.snakemake()
    assert project.path(SUMMARY).read_bytes() == first
