"""Batch files without a server: requests written for a batch runner, its results read back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadfast.engines import batch_files
from steadfast.engines.openai_api import OpenaiEngine
from steadfast.engines.openai_body import request_body, request_url
from steadfast.engines.request import Request, Response
from steadfast.errors import UserError

REQUESTS, RESULTS = ".requests.jsonl", ".results.jsonl"


class BatchFilesEngine(OpenaiEngine):
    """Answers from the results beside the journal; what they lack is written to request files.

    Args: as of ``OpenaiEngine``; the files lie in ``{part}.batches/`` beside the journal.
    """

    def __init__(self, answers: Any, operation: Any, log: Any, journal: Path):
        super().__init__(answers, operation, log, journal)
        self._folder = journal.with_suffix(".batches")
        facts = batch_files.facts()
        self._most_bytes = facts["bytes"]
        self._most_requests = operation.get("batch_requests") or facts["requests"]

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """What the result files answer.

        Raises:
            UserError: some requests have no answer; the sentence says where they were written.
        """
        asked = {request.hash: request for group in groups for request in group}
        for path in sorted(self._folder.glob(f"*{RESULTS}")):
            for name, outcome in batch_files.parse(
                path.read_bytes(), logprobs="logprobs" in self.answers
            ):
                # An error is no last word: another file may hold an answer.
                answered = isinstance(outcome, Response) and outcome.status != "error"
                if answered and name in asked:
                    yield asked.pop(name), outcome
        if asked:
            files = self._write(list(asked.values()))
            raise UserError(
                f"{len(asked)} requests stand in {', '.join(files)} ({self._folder}); run each "
                f"through a batch runner, put its output beside it with the ending {RESULTS} in "
                f"place of {REQUESTS}, and run again"
            )

    def _write(self, requests: list[Request]) -> list[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in self._folder.glob(f"*{REQUESTS}"):
            old.unlink()
        # Results keep the names of their requests: new files must not be taken for old ones.
        taken = {path.name.removesuffix(RESULTS) for path in self._folder.glob(f"*{RESULTS}")}
        first = next(n for n in range(len(taken) + 1) if _name(n) not in taken)
        url = request_url(self.answers)
        lines = (
            (
                r,
                batch_files.line(
                    r.hash, url, request_body(self.answers, r, self._max_tokens_field)
                ),
            )
            for r in requests
        )
        names = []
        chunks = batch_files.split(lines, self._most_requests, self._most_bytes)
        for number, chunk in enumerate(chunks, start=first):
            names.append(f"{_name(number)}{REQUESTS}")
            content = b"".join(line for _, line in chunk)
            (self._folder / names[-1]).write_bytes(content)
        return names


def _name(number: int) -> str:
    return f"batch-{number:03d}"
