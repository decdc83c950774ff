"""The journal: whole lines only, torn tails cut off, and one job at a time that writes it.

On file systems that cannot see to that, it is noticed.
"""

import errno
import fcntl
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import PassingError, UserError
from steadfast.base.locks import Lock
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.asking.journal import Journal

TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
RESPONSES = st.builds(
    Response,
    status=st.sampled_from(STATUSES),
    text=TEXT,
    finish_reason=st.none() | TEXT,
    prompt_tokens=st.none() | st.integers(0, 10**7),
    error=st.none() | TEXT,
)
ANSWER = Response("ok", "an answer")


def write(path, responses):
    with Journal(path) as journal:
        for number, response in enumerate(responses):
            journal.append(f"h{number}", response)


def final(responses):
    return {
        f"h{number}": response
        for number, response in enumerate(responses)
        if response.status in ("ok", "length", "refused")
    }


def read(path, count=20):
    with Journal(path) as journal:
        responses = {f"h{n}": journal.get(f"h{n}") for n in range(count)}
        return {name: response for name, response in responses.items() if response}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "j.jsonl"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("journals")


@given(st.lists(RESPONSES, min_size=1, max_size=6), st.data())
def test_a_journal_cut_anywhere_keeps_its_whole_lines(directory, responses, data):
    path = directory / "b.jsonl"
    path.unlink(missing_ok=True)
    write(path, responses)
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    whole = content[:cut].count(b"\n")
    assert read(path) == final(responses[:whole])
    assert path.read_bytes() == b"".join(content.splitlines(keepends=True)[:whole])
    with Journal(path) as journal:
        journal.append("h19", Response("ok", "after the crash"))
    assert read(path)["h19"].text == "after the crash"


@given(st.lists(RESPONSES, max_size=10), st.binary(max_size=60), st.booleans())
def test_any_torn_tail_is_cut_off(directory, responses, tail, ended):
    path = directory / "c.jsonl"
    path.unlink(missing_ok=True)
    write(path, responses)
    with open(path, "ab") as out:
        out.write(tail.replace(b"\n", b"") + (b"\n" if ended else b""))
    assert read(path) == final(responses)


def test_a_line_whose_checksum_has_lost_its_name_is_corrupt(path):
    write(path, [Response("ok", "one"), Response("ok", "two")])
    path.write_text(path.read_text().replace('"check"', '"chock"', 1))
    with pytest.raises(UserError, match=r"j\.jsonl:1: corrupt line .*damaged name of the checksum"):
        Journal(path)


CORRUPT = ["{", "[1]", '{"status": "ok", "text": ""}', '{"hash": "a", "status": "good"}', ""]
CORRUPT += ["[" * 10**5]


@pytest.mark.parametrize("line", CORRUPT, ids=lambda line: line[:20])
def test_a_corrupt_line_before_the_last_is_named(path, line):
    write(path, [Response("ok", "one"), Response("ok", "two")])
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{line}\n{second}\n")
    with pytest.raises(UserError, match=r"j\.jsonl:2: corrupt line"):
        Journal(path)
    path.write_text(f"{first}\n{second}\n")
    assert len(read(path)) == 2  # the failed opening let go of the file


def test_errors_stand_there_but_are_asked_again(path):
    write(path, [Response("error", error="HTTP 500"), Response("overflow", error="long")])
    assert read(path) == {}
    assert json.loads(path.read_text().splitlines()[0])["error"] == "HTTP 500"


def test_fields_that_responses_had_once_are_passed_over(path):
    old = {"hash": "h0", "status": "ok", "text": "one", "logprobs": [["one", -0.5, []]], "parts": 2}
    path.write_text(json.dumps(old) + "\n")
    assert read(path) == {"h0": Response("ok", "one", parts=2)}


def test_the_later_answer_counts(path):
    with Journal(path) as journal:
        journal.append("h0", Response("error", error="HTTP 500"))
        journal.append("h0", Response("ok", "at last"))
    assert read(path)["h0"].text == "at last"


def test_its_folders_are_made_where_they_are_missing(tmp_path):
    path = tmp_path / "journal/lifbench/own/2k.jsonl"
    write(path, [Response("ok", "text")])
    write(path, [])
    assert read(path, 1) == {"h0": Response("ok", "text")}


# --- one writer -------------------------------------------------------------------------------


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
    first, second = two_nodes
    first.append("a", ANSWER)
    with pytest.raises(UserError, match=r"j\.jsonl: another job is writing to this journal"):
        second.append("b", ANSWER)
    with pytest.raises(UserError), second:
        pass
    with first:
        assert first.get("a") == ANSWER


def test_one_that_another_node_wrote_after_the_last_answer_is_noticed_at_the_end(two_nodes):
    first, second = two_nodes
    with second, pytest.raises(UserError, match="another job is writing to this journal"), first:
        first.append("a", ANSWER)
        second._size = first._size  # as a node sees it whose file system tells it late
        second.append("b", ANSWER)


def test_a_stale_handle_may_pass_and_a_full_disk_does_not(path, monkeypatch):
    with Journal(path) as journal:
        for code, passing in ((errno.ESTALE, True), (errno.ENOSPC, False)):

            def write(fd, line, code=code):
                raise OSError(code, os.strerror(code))

            with monkeypatch.context() as patched, pytest.raises(UserError) as raised:
                patched.setattr(os, "write", write)
                journal.append("a", ANSWER)
            assert isinstance(raised.value, PassingError) == passing
