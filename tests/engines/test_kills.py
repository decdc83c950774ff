"""Ten SIGKILLs at random moments of one run: nothing is lost, asked twice, or different."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from parts import Part, items

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
CONTEXTS, QUESTIONS, KILLS = 6, 50, 10
JOB = """
import sys
from pathlib import Path
from parts import Part, items
Part(Path(sys.argv[1]), sys.argv[2]).run(items(int(sys.argv[3]), int(sys.argv[4])))
"""


def start(directory, server):
    arguments = [str(directory), server.url, str(CONTEXTS), str(QUESTIONS)]
    return subprocess.Popen(
        [sys.executable, "-c", JOB, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(SCRIPTS), str(Path(__file__).parent)]),
        },
        stderr=subprocess.DEVNULL,
    )


def wait_for(job, server, asked, pause):
    """Until the server was asked so often, and a moment more."""
    end = time.monotonic() + 60
    while sum(server.asked.values()) < asked and job.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(pause)


def test_ten_kills_at_random_moments(tmp_path, server):
    server.delay = 0.01
    rng = random.Random("ten kills")
    killed, requests = tmp_path / "killed", CONTEXTS * QUESTIONS
    journal = killed / "journal.jsonl"
    asked = 0
    for _ in range(KILLS):
        asked += rng.randint(2, 2 * requests // KILLS - 8)
        job = start(killed, server)
        wait_for(job, server, asked, rng.uniform(0, 0.02))
        job.send_signal(signal.SIGKILL)
        assert job.wait() == -signal.SIGKILL
        assert not (killed / "out.jsonl").exists()
    job = start(killed, server)
    assert job.wait(timeout=60) == 0

    hashes = [json.loads(line)["hash"] for line in journal.read_text().splitlines()]
    assert len(hashes) == len(set(hashes)) == requests
    assert len(server.answered) == requests
    in_flight = KILLS * Part(tmp_path).operation["concurrency"]
    assert sum(server.asked.values()) <= requests + in_flight

    Part(tmp_path / "undisturbed", server.url).run(items(CONTEXTS, QUESTIONS))
    for name in ("out.jsonl", "out.identity.json"):
        runs = (tmp_path / run / name for run in ("killed", "undisturbed"))
        first, second = (path.read_bytes() for path in runs)
        assert first == second
