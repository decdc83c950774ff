"""One run at a time in a results folder."""

import os
from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.base.locks import acquire_lock
from steadfast.workflow.audit import LOCK, lock_results

RUN = SimpleNamespace(holds_folder=True, locks=[])


def test_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "journal").write_text("not a folder")
    with pytest.raises(UserError, match=r"run\.lock: cannot be written \(.+\); correct its"):
        lock_results(tmp_path, RUN)


def test_folder_locked_by_another_run_is_refused(tmp_path):
    lock = tmp_path / LOCK
    lock.parent.mkdir(parents=True)
    lock.write_text("process 7\n")
    with lock.open("r+") as file:
        assert acquire_lock(file.fileno())
        with pytest.raises(UserError, match=r"in use by another run \(process 7\)"):
            lock_results(tmp_path, RUN)


def test_snakemake_locks_on_files_of_the_folder_are_removed(tmp_path):
    results = tmp_path / "results"
    locks = []
    for name, file in (("0", results / "a.csv"), ("1", tmp_path / "elsewhere" / "b.csv")):
        for kind in ("input", "output"):
            (tmp_path / f"{name}.{kind}.lock").touch()
        locks.append((tmp_path / f"{name}.output.lock", [str(file)]))
    lock_results(results, SimpleNamespace(holds_folder=True, locks=locks))
    remaining = sorted(path.name for path in tmp_path.glob("*.lock"))
    assert remaining == ["1.input.lock", "1.output.lock"]


def test_process_may_lock_its_folder_again(tmp_path):
    lock_results(tmp_path, RUN)
    lock_results(tmp_path, RUN)
    assert (tmp_path / LOCK).read_text() == f"process {os.getpid()}\n"


def test_file_system_that_reports_two_links_of_any_file_is_locked_too(tmp_path, monkeypatch):
    stat = type(tmp_path).stat

    def stat_with_two_links(path, **options):
        mode, inode, device, _, *fields = stat(path, **options)
        return os.stat_result((mode, inode, device, 2, *fields))

    monkeypatch.setattr(type(tmp_path), "stat", stat_with_two_links)
    lock_results(tmp_path, RUN)
    assert (tmp_path / LOCK).read_text() == f"process {os.getpid()}\n"


@pytest.fixture
def linked_folders(tmp_path):
    """A folder with a journal, and a copy of it by hard links, as ``cp -al`` makes it."""
    results = tmp_path / "results"
    copy = tmp_path / "copy"
    for name in (LOCK, "journal/m.jsonl"):
        for folder in (results, copy):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("one\n")
        os.link(results / name, copy / name)
    return results, copy


def test_hard_linked_copy_gets_its_own_lock_and_journal(linked_folders):
    results, copy = linked_folders
    lock_results(copy, RUN)
    with (copy / "journal/m.jsonl").open("a") as journal:
        journal.write("two\n")
    assert (results / "journal/m.jsonl").read_text() == "one\n"
    assert (copy / "journal/m.jsonl").read_text() == "one\ntwo\n"
    lock_results(results, RUN)
    assert (results / "journal/m.jsonl").stat().st_nlink == 1


def test_linked_journal_that_a_job_writes_is_refused(linked_folders):
    results, copy = linked_folders
    with (results / "journal/m.jsonl").open("r+") as journal:
        assert acquire_lock(journal.fileno())
        with pytest.raises(UserError, match=r"m\.jsonl: shared by hard links .* with a copy"):
            lock_results(copy, RUN)
    assert (copy / "journal/m.jsonl").stat().st_nlink == 2
