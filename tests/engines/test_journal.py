"""The journal: complete lines only, torn ones cut off, and one job at a time that writes it.

Where a file system does not lock, a second writer is detected.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.locks import Lock
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.sending.journal import Journal

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


def read(path, count=20):
    with Journal(path) as journal:
        responses = {f"h{n}": journal.get(f"h{n}") for n in range(count)}
    return {name: response for name, response in responses.items() if response}


def completed(responses):
    """The responses that are not requested again, by hash."""
    by_hash = {f"h{number}": response for number, response in enumerate(responses)}
    statuses = ("ok", "length", "refused")
    return {name: response for name, response in by_hash.items() if response.status in statuses}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "j.jsonl"


@pytest.fixture(scope="module")
def reused_path(tmp_path_factory):
    """For tests with many examples."""
    return tmp_path_factory.mktemp("journals") / "j.jsonl"


@given(st.lists(RESPONSES, min_size=1, max_size=6), st.data())
def test_truncated_journal_keeps_its_complete_lines(reused_path, responses, data):
    reused_path.unlink(missing_ok=True)
    write(reused_path, responses)
    content = reused_path.read_bytes()
    length = data.draw(st.integers(0, len(content)))
    reused_path.write_bytes(content[:length])
    line_count = content[:length].count(b"\n")
    assert read(reused_path) == completed(responses[:line_count])
    complete_lines = content.splitlines(keepends=True)[:line_count]
    assert reused_path.read_bytes() == b"".join(complete_lines)
    with Journal(reused_path) as journal:
        journal.append("h19", Response("ok", "after the crash"))
    assert read(reused_path)["h19"].text == "after the crash"


@given(st.lists(RESPONSES, max_size=10), st.binary(max_size=60), st.sampled_from([b"", b"\n"]))
def test_torn_last_line_is_cut_off(reused_path, responses, torn_line, line_end):
    reused_path.unlink(missing_ok=True)
    write(reused_path, responses)
    with open(reused_path, "ab") as journal:
        journal.write(torn_line.replace(b"\n", b"") + line_end)
    assert read(reused_path) == completed(responses)


@pytest.fixture
def two_lines(path):
    """The lines of a journal with two responses."""
    write(path, [Response("ok", "one"), Response("ok", "two")])
    return path.read_text().splitlines()


@pytest.mark.usefixtures("two_lines")
def test_damaged_name_of_a_checksum_is_reported(path):
    path.write_text(path.read_text().replace('"check"', '"chock"', 1))
    with pytest.raises(UserError, match=r"j\.jsonl:1: corrupt line .*damaged name of the checksum"):
        Journal(path)


CORRUPT_LINES = [
    "{", "[1]", '{"status": "ok", "text": ""}', '{"hash": "a", "status": "good"}', "", "[" * 10**5,
]  # fmt: skip


@pytest.mark.parametrize("line", CORRUPT_LINES, ids=lambda line: line[:20])
def test_corrupt_line_before_the_last_is_reported(path, two_lines, line):
    first, second = two_lines
    path.write_text(f"{first}\n{line}\n{second}\n")
    with pytest.raises(UserError, match=r"j\.jsonl:2: corrupt line"):
        Journal(path)
    path.write_text(f"{first}\n{second}\n")
    assert len(read(path)) == 2  # the failed opening has released the file


def test_line_ends_with_the_first_16_digits_of_its_checksum(path):
    write(path, [Response("ok", "né", prompt_tokens=0)])
    start = '{"hash": "h0", "status": "ok", "text": "né", "prompt_tokens": 0'
    checksum = hashlib.sha256(start.encode()).hexdigest()[:16]
    assert path.read_text("utf-8") == f'{start}, "check": "{checksum}"}}\n'


def test_errors_are_recorded_and_retried(path):
    write(path, [Response("error", error="HTTP 500"), Response("overflow", error="long")])
    assert read(path) == {}
    assert json.loads(path.read_text().splitlines()[0])["error"] == "HTTP 500"


def test_fields_of_earlier_versions_are_ignored(path):
    line = {"hash": "h0", "status": "ok", "text": "one", "logprobs": [["one", -0.5]], "parts": 2}
    path.write_text(json.dumps(line) + "\n")
    assert read(path) == {"h0": Response("ok", "one", parts=2)}


def test_last_response_of_a_hash_counts(path):
    with Journal(path) as journal:
        journal.append("h0", Response("error", error="HTTP 500"))
        journal.append("h0", ANSWER)
    assert read(path) == {"h0": ANSWER}


def test_crashed_machine_loses_the_last_seconds_at_most(path, monkeypatch):
    synced = []
    times = iter([0.0, 0.0, 4.0, 5.5, 5.5, 10.0, 11.0, 11.0, 11.0])  # with one after each sync
    monkeypatch.setattr("os.fsync", synced.append)
    monkeypatch.setattr("steadfast.engines.sending.journal.time.monotonic", lambda: next(times))
    counts = []
    with Journal(path) as journal:
        for _ in range(5):
            journal.append("h", ANSWER)
            counts.append(len(synced))
    assert counts == [0, 0, 1, 1, 2]
    assert len(synced) == 3  # at the end too


def test_journal_makes_its_folder_and_leaves_no_other_file(tmp_path):
    path = tmp_path / "journal/lifbench/own/2k.jsonl"
    write(path, [ANSWER])
    write(path, [])
    assert read(path, 1) == {"h0": ANSWER}
    assert list(path.parent.iterdir()) == [path]


# --- one writer ---------------------------------------------------------------------------------


def reopen_by_another_job(path, first: Journal) -> tuple[str, Journal]:
    """A second job's message while it waits for the first one's journal, and its journal."""
    messages: Queue[str] = Queue()
    with ThreadPoolExecutor() as threads:
        second = threads.submit(Journal, path, messages.put)
        message = messages.get(timeout=60)
        assert not second.done()
        first.__exit__(None, None, None)
        return message, second.result(timeout=60)


def test_second_job_waits_for_the_first_and_reads_its_answers(path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    first = Journal(path)
    first.append("a", ANSWER)
    message, second = reopen_by_another_job(path, first)
    with second:
        assert message == f"waiting for SLURM job 4711, which has locked {path}"
        assert second.get("a") == ANSWER


def failing_with(code):
    """A function of ``os`` that fails with that error."""

    def fail(*args, **options):
        raise OSError(code, os.strerror(code))

    return fail


def test_missing_write_permission_is_reported(path, monkeypatch):
    monkeypatch.setattr(os, "open", failing_with(errno.EACCES))
    with pytest.raises(UserError, match=r"cannot be written \(Permission denied\); work in"):
        Lock(path, print)
    monkeypatch.setenv("STEADFAST_LOCKS", str(path.parent))
    with pytest.raises(UserError, match="set STEADFAST_LOCKS to a folder of your own"):
        Lock(path, print)


def test_full_disk_is_reported_but_does_not_prevent_locking(path, monkeypatch):
    full = failing_with(errno.ENOSPC)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        with pytest.raises(UserError, match=r"no space left on device; free space on that disk"):
            Lock(path, print)
    monkeypatch.setattr(Path, "write_text", full)
    lock = Lock(path, print)
    assert lock.held
    lock.close()


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.ESTALE, errno.EOPNOTSUPP])
def test_file_system_without_locks_is_reported(path, monkeypatch, code):
    monkeypatch.setattr(fcntl, "flock", failing_with(code))
    message = f"does not support file locks ({os.strerror(code)}); set STEADFAST_LOCKS to a folder"
    with pytest.raises(UserError, match=re.escape(message)):
        Journal(path)


def test_locks_may_be_in_a_folder_of_the_user(path, tmp_path, monkeypatch):
    monkeypatch.setenv("STEADFAST_LOCKS", str(tmp_path / "locks"))
    message, second = reopen_by_another_job(path, Journal(path))
    with second:
        assert message == f"waiting for process {os.getpid()}, which has locked {path}"
    assert len(list((tmp_path / "locks").iterdir())) == 1


def test_invalid_folder_for_locks_is_reported(path, monkeypatch):
    monkeypatch.setenv("STEADFAST_LOCKS", "/dev/null/locks")
    with pytest.raises(UserError, match="STEADFAST_LOCKS: /dev/null/locks cannot hold lock files"):
        Journal(path)


@pytest.fixture
def journals_of_two_nodes(path, tmp_path, monkeypatch):
    """One journal that two jobs write, since each has locked it only on its own node."""
    journals = []
    for node in ("one", "two"):
        monkeypatch.setenv("STEADFAST_LOCKS", str(tmp_path / node))
        journals.append(Journal(path))
    return journals


def test_second_writer_is_detected_at_the_next_answer(journals_of_two_nodes):
    first, second = journals_of_two_nodes
    first.append("a", ANSWER)
    with pytest.raises(UserError, match=r"j\.jsonl: another job is writing to this journal"):
        second.append("b", ANSWER)
    with pytest.raises(UserError), second:
        pass
    with first:
        assert first.get("a") == ANSWER


def test_second_writer_is_detected_at_the_end(journals_of_two_nodes):
    first, second = journals_of_two_nodes
    with second, pytest.raises(UserError, match="another job is writing to this journal"), first:
        first.append("a", ANSWER)
        second._size = first._size  # as on a file system that shows the new size late
        second.append("b", ANSWER)


@pytest.mark.parametrize(("code", "is_passing"), [(errno.ESTALE, True), (errno.ENOSPC, False)])
def test_only_a_stale_handle_is_a_passing_error(path, monkeypatch, code, is_passing):
    writing = monkeypatch.context()
    with Journal(path) as journal, writing as patched, pytest.raises(UserError) as error:
        patched.setattr(os, "write", failing_with(code))
        journal.append("a", ANSWER)
    assert isinstance(error.value, TemporaryError) == is_passing
