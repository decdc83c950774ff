"""One job at a time writes a journal; on file systems that cannot see to it, that is noticed."""

import errno
import fcntl
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import pytest

from steadfast.base.errors import PassingError, UserError
from steadfast.base.locks import Lock
from steadfast.contract.request import Response
from steadfast.engines.asking.journal import Journal

ANSWER = Response("ok", "an answer")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "j.jsonl"


def opened_by_another(path, first: Journal) -> tuple[str, Journal]:
    """What a second job says while it waits for the first one's journal, and its journal."""
    said: Queue[str] = Queue()
    with ThreadPoolExecutor() as threads:
        second = threads.submit(Journal, path, said.put)
        line = said.get(timeout=60)
        assert not second.done()
        first.__exit__(None, None, None)
        return line, second.result(timeout=60)


def test_a_second_job_waits_and_says_for_which_one_then_finds_its_answers(path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    first = Journal(path)
    first.append("a", ANSWER)
    line, second = opened_by_another(path, first)
    with second:
        assert line == f"waiting for SLURM job 4711, which has locked {path}"
        assert second.get("a") == ANSWER


def test_a_journal_or_lock_that_cannot_be_written_is_one_clear_sentence(path, monkeypatch):
    def refused(*args):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(UserError, match=r"cannot be written \(Permission denied\); work in"):
        Lock(path, print)
    monkeypatch.setenv("STEADFAST_LOCKS", str(path.parent))
    with pytest.raises(UserError, match="set STEADFAST_LOCKS to a folder of your own"):
        Lock(path, print)


def test_a_full_disk_is_no_fault_of_locking(path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        with pytest.raises(UserError, match=r"no space left on device; free space on that disk"):
            Lock(path, print)
    monkeypatch.setattr(Path, "write_text", full)
    lock = Lock(path, print)
    assert lock.held
    lock.close()


def test_nothing_but_the_journal_is_left_behind(path):
    with Journal(path) as journal:
        journal.append("a", ANSWER)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.ESTALE, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_one_clear_sentence(path, monkeypatch, code):
    def flock(fd, operation):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", flock)
    expected = f"does not support file locks ({os.strerror(code)}); set STEADFAST_LOCKS to a folder"
    with pytest.raises(UserError, match=re.escape(expected)):
        Journal(path)


def test_locks_may_lie_in_a_folder_of_the_user_s(path, tmp_path, monkeypatch):
    monkeypatch.setenv("STEADFAST_LOCKS", str(tmp_path / "locks"))
    line, second = opened_by_another(path, Journal(path))
    with second:
        assert line == f"waiting for process {os.getpid()}, which has locked {path}"
    assert len(list((tmp_path / "locks").iterdir())) == 1


def test_a_folder_for_locks_that_is_none(path, monkeypatch):
    monkeypatch.setenv("STEADFAST_LOCKS", "/dev/null/locks")
    with pytest.raises(UserError, match="STEADFAST_LOCKS: /dev/null/locks cannot hold lock files"):
        Journal(path)


@pytest.fixture
def two_nodes(path, tmp_path, monkeypatch):
    """Two jobs that each hold a lock on a node of their own, and so write one journal."""
    nodes = []
    for node in ("one", "two"):
        monkeypatch.setenv("STEADFAST_LOCKS", str(tmp_path / node))
        nodes.append(Journal(path))
    return nodes


def test_a_journal_that_two_nodes_write_is_noticed_at_the_next_answer(path, two_nodes):
    one, two = two_nodes
    one.append("a", ANSWER)
    with pytest.raises(UserError, match=r"j\.jsonl: another job is writing to this journal"):
        two.append("b", ANSWER)
    with pytest.raises(UserError), two:
        pass
    with one:
        assert one.get("a") == ANSWER


def test_one_that_another_node_wrote_after_the_last_answer_is_noticed_at_the_end(two_nodes):
    one, two = two_nodes
    with two, pytest.raises(UserError, match="another job is writing to this journal"), one:
        one.append("a", ANSWER)
        two._size = one._size  # as a node sees it whose file system tells it late
        two.append("b", ANSWER)


def test_a_stale_handle_may_pass_and_a_full_disk_does_not(path, monkeypatch):
    with Journal(path) as journal:
        for code, passing in ((errno.ESTALE, True), (errno.ENOSPC, False)):

            def write(fd, line, code=code):
                raise OSError(code, os.strerror(code))

            with monkeypatch.context() as patched, pytest.raises(UserError) as raised:
                patched.setattr(os, "write", write)
                journal.append("a", ANSWER)
            assert isinstance(raised.value, PassingError) == passing
