"""What a person is told of a mistake that ends a run before its jobs: one sentence."""

import errno
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake import exceptions
from snakemake.exceptions import (
    InputFunctionException,
    LockException,
    MissingInputException,
    MissingRuleException,
    WorkflowError,
)

from steadfast.base.errors import UserError
from steadfast.workflow import insides
from steadfast.workflow.mistakes import sentence


class Rule:
    """As much of Snakemake's rule as is looked at."""

    name = "scores"
    lineno = 3
    snakefile = "Snakefile"
    workflow = SimpleNamespace(linemaps={})

    def __str__(self):
        return self.name


def targets():
    return {"plan", "tables", "results/tables", "results/plan/plan.md"}


@pytest.fixture
def said(monkeypatch):
    """What Snakemake says of an error, once it is said in a sentence."""
    monkeypatch.setattr(exceptions, "format_exception_to_string", lambda error, _: "Snakemake's")
    monkeypatch.setattr(InputFunctionException, "__init__", InputFunctionException.__init__)
    insides.say_errors(lambda error: sentence(error, targets=targets))
    return lambda error: exceptions.format_exception_to_string(error, {})


def test_mistakes_are_said_without_a_traceback_and_others_left_to_snakemake(said):
    error = InputFunctionException(UserError("no m; did you mean 'n'?"), {}, rule=Rule())
    error.__context__ = KeyError("results/x")  # as Snakemake raises it later
    assert said(error) == "Error: no m; did you mean 'n'?"
    for error in (WorkflowError("x"), KeyError("7k"), RuntimeError("x")):
        assert said(error) == "Snakemake's"


def test_targets_that_nothing_makes_are_named_beside_the_nearest():
    for target, advice in (
        ("results/tabels", "did you mean 'results/tables'?"),
        ("tabels", "did you mean 'tables'?"),
        ("zzz", "available: plan, tables"),  # no files, which are many
    ):
        error = MissingRuleException(target)
        assert sentence(error, targets=targets) == f"Error: {target}: no rule makes this; {advice}"
    said = sentence(MissingRuleException("results/tables"), Path("/scratch/me"), targets)
    assert said and said.endswith("so name /scratch/me/tables")


def test_files_that_lack_locks_and_full_disks_are_named_with_what_to_do():
    job = SimpleNamespace(rule=Rule(), wildcards={"model": "m"})
    for output in (["results/x"], []):
        job.output = output
        assert sentence(MissingInputException(job, ["a.jsonl", "b.jsonl"])) == (
            "Error: a.jsonl, b.jsonl: no such file (input of rule scores); add it, or "
            "correct its path in the config"
        )
    said = sentence(LockException())
    assert said and said.endswith("remove the lock with --unlock") and "\n" not in said
    said = sentence(OSError(errno.ENOSPC, "No space left on device", "results/x"))
    assert said and said.startswith(
        "Error: results/x: no space left on device; free space on that disk"
    )
