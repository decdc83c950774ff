"""Which GPUs a job may choose from, and that jobs side by side hold different ones."""

import os
import threading
import time

import pytest

from steadfast.base.errors import UserError
from steadfast.engines.devices import devices, lease


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
def test_a_job_chooses_from_the_gpus_that_it_is_shown(driver, environment, expected):
    assert devices(environment, driver) == expected


def test_a_machine_without_a_driver_has_none(tmp_path):
    assert devices({}, tmp_path / "nowhere") == []


def test_jobs_side_by_side_hold_different_gpus(tmp_path):
    first, second = (lease(1, ["0", "1"], print, tmp_path) for _ in range(2))
    assert (list(first), list(second)) == (["0"], ["1"])
    os.close(first["0"])
    assert list(lease(1, ["0", "1"], print, tmp_path)) == ["0"]


def test_a_job_of_two_gpus_gets_them_though_jobs_of_one_come_after_it(tmp_path, monkeypatch):
    monkeypatch.setattr("steadfast.engines.devices.LOOK_SECONDS", 0.01)
    names = ["0", "1"]
    order = []
    said = []
    held = lease(1, names, print, tmp_path)

    def work(count: int) -> None:
        locks = lease(count, names, said.append, tmp_path)
        order.append(count)
        for lock in locks.values():
            os.close(lock)

    threads = []
    for count in (2, 1):
        threads.append(threading.Thread(target=work, args=(count,)))
        threads[-1].start()
        while not said:  # the first one waits
            time.sleep(0.01)
    time.sleep(0.1)
    assert order == []
    os.close(held["0"])
    for thread in threads:
        thread.join(timeout=60)
    assert order == [2, 1]
    assert said[0] == "waiting for 2 of the GPUs 0, 1, which other jobs use"


def test_more_gpus_than_there_are_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match=r"the job needs 4 GPUs, but only 2 are visible \(0, 1\)"):
        lease(4, ["0", "1"], print, tmp_path)
