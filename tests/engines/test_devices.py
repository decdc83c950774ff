"""The GPUs that a job may use; concurrent jobs hold different ones."""

import os
import threading
import time

import pytest

from steadfast.base.errors import UserError
from steadfast.engines.devices import acquire_gpus, devices, lock_gpus


@pytest.fixture
def driver(tmp_path):
    """A machine with two GPUs."""
    folder = tmp_path / "gpus"
    for name in ("0000:17:00.0", "0000:65:00.0"):
        (folder / name).mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["0", "1"]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, ["1"]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-8932f937, 3"}, ["GPU-8932f937", "3"]),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
    ],
)
def test_gpus_are_those_visible_to_the_job(driver, environment, expected):
    assert devices(environment, driver) == expected


def test_machine_without_driver_has_no_gpus(tmp_path):
    assert devices({}, tmp_path / "missing") == []


def test_concurrent_jobs_hold_different_gpus(tmp_path):
    first = acquire_gpus(1, ["0", "1"], print, tmp_path)
    second = acquire_gpus(1, ["0", "1"], print, tmp_path)
    assert (list(first), list(second)) == (["0"], ["1"])
    os.close(first["0"])
    assert list(acquire_gpus(1, ["0", "1"], print, tmp_path)) == ["0"]


def test_all_users_of_a_machine_share_the_locks(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    acquire_gpus(1, ["MIG-a/1/0"], print)
    folder = tmp_path / "steadfast-gpus"
    modes = {path.name: oct(path.stat().st_mode & 0o7777) for path in (folder, *folder.iterdir())}
    assert modes == {
        "steadfast-gpus": "0o777", "queue.lock": "0o666", "MIG-a_1_0.lock": "0o666",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("count", "job", "visible"), [(1, None, "5"), (0, None, "5,6"), (1, "1", "5,6")]
)
def test_job_uses_the_gpus_that_it_locked(tmp_path, monkeypatch, count, job, visible):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,6")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    if job:  # whose GPUs no other job has
        monkeypatch.setenv("SLURM_JOB_ID", job)
    lock_gpus(count, print)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == visible


def test_job_of_two_gpus_is_served_before_later_jobs_of_one(tmp_path, monkeypatch):
    monkeypatch.setattr("steadfast.engines.devices.LOOK_SECONDS", 0.01)
    order = []
    messages = []
    running = acquire_gpus(1, ["0", "1"], print, tmp_path)

    def work(count: int) -> None:
        locks = acquire_gpus(count, ["0", "1"], messages.append, tmp_path)
        order.append(count)
        for lock in locks.values():
            os.close(lock)

    threads = []
    for count in (2, 1):
        threads.append(threading.Thread(target=work, args=(count,)))
        threads[-1].start()
        while not messages:  # until the first one waits
            time.sleep(0.01)
    time.sleep(0.1)
    assert order == []
    os.close(running["0"])
    for thread in threads:
        thread.join(timeout=60)
    assert order == [2, 1]
    assert messages.count("waiting for 2 of the GPUs 0, 1, which other jobs use") == 1


def test_more_gpus_than_visible_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"the job needs 4 GPUs, but only 2 are visible \(0, 1\)"):
        acquire_gpus(4, ["0", "1"], print, tmp_path)
