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


@pytest.fixture
def linked(tmp_path):
    """A folder with a journal, and a copy of it by hard links, as ``cp -al`` makes it."""
    results = tmp_path / "results"
    copy = tmp_path / "copy"
    for name in (LOCK, "journal/m.jsonl"):
        for folder in (results, copy):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("one\n")
        os.link(results / name, copy / name)
    return results, copy


def test_a_copy_by_hard_links_shares_neither_lock_nor_journal(linked):
    results, copy = linked
    hold(copy, RUN)
    with (copy / "journal/m.jsonl").open("a") as journal:
        journal.write("two\n")
    assert (results / "journal/m.jsonl").read_text() == "one\n"
    assert (copy / "journal/m.jsonl").read_text() == "one\ntwo\n"
    hold(results, RUN)
    assert (results / "journal/m.jsonl").stat().st_nlink == 1


def test_a_shared_journal_that_a_job_writes_is_left_to_it(linked):
    results, copy = linked
    with (results / "journal/m.jsonl").open("r+") as journal:
        assert take(journal.fileno())
        with pytest.raises(UserError, match=r"m\.jsonl: shared by hard links .* with a copy"):
            hold(copy, RUN)
    assert (copy / "journal/m.jsonl").stat().st_nlink == 2


def test_a_file_system_that_counts_two_links_of_any_file_is_held_too(tmp_path, monkeypatch):
    stat = type(tmp_path).stat

    def two_links(path, **how):
        mode, inode, device, _, *more = stat(path, **how)
        return os.stat_result((mode, inode, device, 2, *more))

    monkeypatch.setattr(type(tmp_path), "stat", two_links)
    hold(tmp_path, RUN)
    assert (tmp_path / LOCK).read_text() == f"process {os.getpid()}\n"
