"""What the runs of a job took: facts of the runs, not of the result, so beside the journal."""

import time
from contextlib import AbstractContextManager
from pathlib import Path

from steadfast.base.files import write_json
from steadfast.contract.records import RunRecord, read_runs
from steadfast.contract.request import Response
from steadfast.engines.base import Engine

WRITE_SECONDS = 5.0


def record_path(journal: Path) -> Path:
    """Where the record of a journal's job lies."""
    return journal.with_suffix(".run.json")


class RunRecorder(AbstractContextManager["RunRecorder"]):
    """One more run in a job's record, which grows over all runs that asked something.

    It is written now and then, so that a killed run loses a few seconds of it.
    """

    def __init__(self, path: Path, engine: Engine):
        self._path, self._engine = path, engine
        self._earlier = read_runs(path)
        self._answered = self._failed = 0
        self._prompt = self._computed = self._output = 0
        self._machine: str | None = None
        self._started = self._written = time.monotonic()

    def update(self, response: Response) -> None:
        """One more response."""
        self._failed += response.status == "error"
        self._answered += response.status != "error"
        prompt = response.prompt_tokens or 0
        self._prompt += prompt
        self._computed += prompt - (response.cached_tokens or 0)
        self._output += response.completion_tokens or 0
        self._machine = response.fingerprint or self._machine
        if time.monotonic() - self._written > WRITE_SECONDS:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        run: RunRecord = {
            "wall_seconds": round(self._written - self._started, 3),
            "answered": self._answered,
            "failed": self._failed,
            "retries": self._engine.retries,
            "latencies": self._engine.latencies.counts,
            "load_seconds": round(self._engine.load_seconds, 3),
            "prompt_tokens": self._prompt,
            "computed_tokens": self._computed,
            "output_tokens": self._output,
            "machine": self._machine,
        }
        write_json(self._path, {"runs": [*self._earlier, run]})

    def __exit__(self, *error: object) -> None:
        self._write()
