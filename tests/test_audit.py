"""What stands in a results folder against what a run wants, before anything is printed."""

from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance, provenances
from steadfast.workflow.audit import Audit


class Output(dict):
    """Snakemake's: files, which may have names."""

    def __iter__(self):
        return iter(self.values())


class Run:
    """Of Snakemake what an audit looks at; what it is told to make stands in ``forced``."""

    def __init__(self, *jobs, wanted=(), taking_option=None):
        self.jobs = jobs
        self._wanted = wanted
        self.taking_option = taking_option
        self.forced = []

    def is_wanted(self, job):
        return job in self._wanted

    def force(self, job):
        self.forced.append(job)


@pytest.fixture
def results(tmp_path):
    """A folder of results, in which each job has made its table."""
    return tmp_path


def job(results, name, input_digest="lin", made=None):
    """One that wants a table of an input digest, and has made it, of that or another."""
    table = results / f"{name}.md"
    found = SimpleNamespace(
        params={"input_digest": input_digest},
        output=Output(table=str(table)),
        input=[],
        table=table,
    )
    if made:
        table.write_text(name)
        found.params["input_digest"] = made
        for provenance in provenances(found, results):
            provenance.write()
        found.params["input_digest"] = input_digest
    return found


def test_what_is_as_the_run_wants_it_is_left_as_it_is(results):
    run = Run(job(results, "a", made="lin"), job(results, "absent"))
    audit = Audit(results)
    audit.compare(run)
    assert (run.forced, audit.left) == ([], None)
    assert not audit.leaves(results / "a.md")


def test_what_was_made_of_something_else_is_made_again_and_not_shown_until_then(results):
    good = job(results, "a", made="lin")
    other = job(results, "b", made="older")
    run = Run(good, other)
    audit = Audit(results)
    audit.compare(run)
    assert run.forced == [other]
    assert "b.md: made from other settings, data or code" in audit.left
    assert "run the workflow without this option" in audit.left
    assert audit.leaves(other.table) and not audit.leaves(good.table)
    Provenance.beside(other.table, "lin", settings=provenances(other, results)[0].settings).write()
    assert audit.left is None and not audit.leaves(other.table)


def test_what_was_edited_is_refused_but_where_the_command_makes_it_again(results):
    edited = job(results, "a", made="lin")
    edited.table.write_text("9")
    with pytest.raises(UserError, match=r"a\.md: edited since it was made"):
        Audit(results).compare(Run(edited))
    run = Run(edited, wanted=[edited])
    Audit(results).compare(run)
    assert run.forced == []


def test_a_job_with_one_of_its_files_is_looked_at_and_one_with_none_is_not(results):
    half = job(results, "a", made="older")
    half.output["second"] = str(results / "second.md")
    run = Run(half)
    audit = Audit(results)
    audit.compare(run)
    assert run.forced == []  # one of its files is absent, so that Snakemake makes both
    (results / "second.md").write_text("")
    audit.compare(run)
    assert run.forced == [half]


@pytest.mark.parametrize("option", ["--touch", "--report"])
def test_an_option_that_would_take_older_files_is_refused(results, option):
    older = [job(results, name, made="older") for name in "abc"]
    with pytest.raises(
        UserError, match=rf"a\.md: .+, and so are 2 more; {option} would accept outdated"
    ):
        Audit(results).compare(Run(*older, taking_option=option))
    with pytest.raises(
        UserError, match=rf"those of this config; {option} would accept outdated files"
    ):
        Audit(results).compare(Run(older[0], taking_option=option))
    Audit(results).compare(Run(job(results, "d", made="lin"), taking_option=option))
