"""Error messages of a run that ends before its jobs."""

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
from steadfast.workflow.mistakes import error_sentence


class Rule:
    """The parts of Snakemake's rule that messages use."""

    name = "scores"
    lineno = 3
    snakefile = "Snakefile"
    workflow = SimpleNamespace(linemaps={})

    def __str__(self):
        return self.name


def targets():
    return {"plan", "tables", "results/tables", "results/plan/plan.md"}


@pytest.fixture
def error_text(monkeypatch):
    """Snakemake's text of an error, once messages replace it."""
    monkeypatch.setattr(exceptions, "format_exception_to_string", lambda error, _: "Snakemake's")
    monkeypatch.setattr(InputFunctionException, "__init__", InputFunctionException.__init__)
    insides.replace_error_messages(lambda error: error_sentence(error, targets=targets))
    return lambda error: exceptions.format_exception_to_string(error, {})


def test_user_errors_are_shown_without_a_traceback(error_text):
    error = InputFunctionException(UserError("no m; did you mean 'n'?"), {}, rule=Rule())
    error.__context__ = KeyError("results/x")  # as Snakemake raises it later
    assert error_text(error) == "Error: no m; did you mean 'n'?"


@pytest.mark.parametrize("error", [WorkflowError("x"), KeyError("7k"), RuntimeError("x")])
def test_other_errors_keep_snakemakes_text(error_text, error):
    assert error_text(error) == "Snakemake's"


def test_unknown_target_is_reported_with_the_nearest():
    for target, advice in (
        ("results/tabels", "did you mean 'results/tables'?"),
        ("tabels", "did you mean 'tables'?"),
        ("zzz", "available: plan, tables"),  # no files, which are many
    ):
        message = f"Error: {target}: no rule makes this; {advice}"
        assert error_sentence(MissingRuleException(target), targets=targets) == message


def test_target_outside_the_results_folder_is_corrected():
    message = error_sentence(MissingRuleException("results/tables"), Path("/scratch/me"), targets)
    assert message and message.endswith("so name /scratch/me/tables")


def test_missing_input_lock_and_full_disk_are_reported_with_advice():
    for output in (["results/x"], []):
        job = SimpleNamespace(rule=Rule(), wildcards={"model": "m"}, output=output)
        assert error_sentence(MissingInputException(job, ["a.jsonl", "b.jsonl"])) == (
            "Error: a.jsonl, b.jsonl: no such file (input of rule scores); add it, or "
            "correct its path in the config"
        )
    locked = error_sentence(LockException())
    assert locked and locked.endswith("remove the lock with --unlock") and "\n" not in locked
    full = error_sentence(OSError(errno.ENOSPC, "No space left on device", "results/x"))
    advice = "Error: results/x: no space left on device; free space on that disk"
    assert full and full.startswith(advice)
