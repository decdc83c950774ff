"""The files say what they were made from, whatever Snakemake remembers or is told."""

import copy
import shutil

import pytest

from project import TINY, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

OTHER = "made from other settings, data or code than those of this config"
ANEW = {"inference": 2, "scores": 2, "lifbench_metrics": 1}
ANEW |= {"lifbench_tables": 1, "summary": 1, "tables": 1}
REPORT = "results/summary/summary.csv"


@pytest.fixture
def changed(project) -> Project:
    """A finished project whose config then names another reader."""
    config = copy.deepcopy(TINY)
    config["models"]["sim-a"]["span"] = 500
    project.configure(config)
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


@pytest.mark.parametrize("option", ["--touch", "--report"])
def test_nothing_older_passes_for_what_the_config_asks(changed, option):
    said = changed.snakemake("results/tables", option, ok=False)
    assert f"Error: results/tables: {OTHER}" in said
    assert f"{option} would accept outdated files" in said
    assert changed.planned() == ANEW


def test_a_part_of_the_run_shows_no_older_headline(changed):
    said = changed.snakemake("--until", "scores", "--", "results/tables")
    assert f"{OTHER}; run the workflow without this option" in said
    assert "| sim-a" not in said


def test_files_that_are_touched_are_as_good_as_before(project):
    project.snakemake("results/tables", "--touch")
    assert project.planned() == {}


def test_two_directories_share_a_folder_of_results(project, tmp_path_factory):
    results = project.path("results")
    config = copy.deepcopy(TINY)
    config["models"]["sim-a"]["span"] = 500
    other = Project.new(
        tmp_path_factory.mktemp("other"), {**config, "pathvars": {"results": str(results)}}
    )
    first = project.path(REPORT).read_bytes()
    other.snakemake(f"{results}/tables")
    assert project.path(REPORT).read_bytes() != first
    project.snakemake()
    assert project.path(REPORT).read_bytes() == first


def test_a_table_that_was_edited_is_refused_until_it_is_made_again(project):
    file = project.path("results/tables/summary.md")
    file.write_text(file.read_text().replace("1", "9"))
    said = project.snakemake("-n", ok=False)
    assert "Error: results/tables/summary.md: edited since it was made" in said
    shutil.rmtree(project.path("results/tables"))
    project.snakemake()
    assert project.planned() == {}
