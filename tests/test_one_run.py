"""One run at a time in a results folder."""

import os
from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.base.locks import take
from steadfast.workflow.audit import LOCK, hold

RUN = SimpleNamespace(holds_folder=True, locks=[])


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "journal").write_text("a file in the place of a folder")
    with pytest.raises(UserError, match=r"run\.lock: cannot be written \(.+\); correct its"):
        hold(tmp_path, RUN)


def test_a_folder_that_another_run_holds_is_refused_with_its_process(tmp_path):
    other = tmp_path / LOCK
    other.parent.mkdir(parents=True)
    other.write_text("process 7\n")
    with other.open("r+") as held:
        assert take(held.fileno())
        with pytest.raises(UserError, match=r"in use by another run \(process 7\)"):
            hold(tmp_path, RUN)


def test_only_snakemakes_locks_on_files_of_the_folder_are_removed(tmp_path):
    results = tmp_path / "results"
    locks = []
    for name, file in (("0", results / "a.csv"), ("1", tmp_path / "elsewhere" / "b.csv")):
        for kind in ("input", "output"):
            (tmp_path / f"{name}.{kind}.lock").touch()
        locks.append((tmp_path / f"{name}.output.lock", [str(file)]))
    hold(results, SimpleNamespace(holds_folder=True, locks=locks))
    left = sorted(path.name for path in tmp_path.glob("*.lock"))
    assert left == ["1.input.lock", "1.output.lock"]


def test_a_process_that_holds_the_folder_takes_it_once(tmp_path):
    hold(tmp_path, RUN)
    hold(tmp_path, RUN)
    assert (tmp_path / LOCK).read_text() == f"process {os.getpid()}\n"
