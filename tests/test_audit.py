"""A results folder is compared with what a run wants, before anything is printed."""

from types import SimpleNamespace

import pytest
from snakemake.iocontainers import OutputFiles

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance, provenances
from steadfast.workflow.audit import Audit


class Run:
    """The parts of Snakemake that an audit uses; jobs that it makes run again are ``forced``."""

    def __init__(self, *jobs, wanted=(), accepting_option=None):
        self.jobs = jobs
        self._wanted = wanted
        self.accepting_option = accepting_option
        self.forced = []

    def is_wanted(self, job):
        return job in self._wanted

    def force(self, job):
        self.forced.append(job)


@pytest.fixture
def make_job(tmp_path):
    def make_job(name, made=None):
        """A job for input digest "lin"; its table was ``made`` for that or another one."""
        table = tmp_path / f"{name}.md"
        output = OutputFiles(fromdict={"table": str(table)})
        job = SimpleNamespace(params={"input_digest": made}, output=output, input=[], table=table)
        if made:
            table.write_text(name)
            for provenance in provenances(job, tmp_path):
                provenance.write()
        job.params["input_digest"] = "lin"
        return job

    return make_job


def test_current_and_absent_files_are_left_alone(make_job, tmp_path):
    run = Run(make_job("a", made="lin"), make_job("absent"))
    audit = Audit(tmp_path)
    audit.compare(run)
    assert (run.forced, audit.outdated_error) == ([], None)
    assert not audit.is_outdated(tmp_path / "a.md")


def test_outdated_file_is_remade_and_not_shown_until_then(make_job, tmp_path):
    current = make_job("a", made="lin")
    outdated = make_job("b", made="older")
    run = Run(current, outdated)
    audit = Audit(tmp_path)
    audit.compare(run)
    assert run.forced == [outdated]
    assert "b.md: made from other settings, data or code" in audit.outdated_error
    assert "run the workflow without this option" in audit.outdated_error
    assert audit.is_outdated(outdated.table) and not audit.is_outdated(current.table)
    (expected,) = provenances(outdated, tmp_path)
    Provenance.beside(outdated.table, "lin", settings=expected.settings).write()
    assert audit.outdated_error is None and not audit.is_outdated(outdated.table)


def test_edited_file_is_refused_unless_the_run_remakes_it(make_job, tmp_path):
    edited = make_job("a", made="lin")
    edited.table.write_text("9")
    with pytest.raises(UserError, match=r"a\.md: edited since it was made"):
        Audit(tmp_path).compare(Run(edited))
    run = Run(edited, wanted=[edited])
    Audit(tmp_path).compare(run)
    assert run.forced == []


def test_job_is_remade_only_if_all_its_files_exist(make_job, tmp_path):
    job = make_job("a", made="older")
    second = tmp_path / "second.md"
    job.output.append(str(second))
    run = Run(job)
    audit = Audit(tmp_path)
    audit.compare(run)
    assert run.forced == []  # Snakemake makes both by itself
    second.write_text("")
    audit.compare(run)
    assert run.forced == [job]


@pytest.mark.parametrize("option", ["--touch", "--report"])
def test_option_that_would_accept_outdated_files_is_refused(make_job, tmp_path, option):
    outdated = [make_job(name, made="older") for name in "abc"]
    several = rf"a\.md: .+, and so are 2 more; {option} would accept outdated"
    with pytest.raises(UserError, match=several):
        Audit(tmp_path).compare(Run(*outdated, accepting_option=option))
    single = rf"those of this config; {option} would accept outdated files"
    with pytest.raises(UserError, match=single):
        Audit(tmp_path).compare(Run(outdated[0], accepting_option=option))
    Audit(tmp_path).compare(Run(make_job("d", made="lin"), accepting_option=option))
