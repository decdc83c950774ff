"""Batch files without a server: requests written for a batch runner, its results read back."""

from collections.abc import Iterator
from itertools import count

from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import estimated
from steadfast.engines.openai import batch_files
from steadfast.engines.openai.api import OpenaiEngine

REQUESTS, RESULTS = ".requests.jsonl", ".results.jsonl"


class BatchFilesEngine(OpenaiEngine):
    """Answers from the results beside the journal; what they lack is written to request files.

    Args:
        setup: as of ``OpenaiEngine``, and ``batch_requests`` (of a file, at most) among its
            operation. The files lie in ``{part}.batches/`` beside the journal.
    """

    def __init__(self, setup: Setup):
        super().__init__(setup)
        assert setup.journal is not None, "the files lie beside it"
        self._folder = setup.journal.with_suffix(".batches")
        self._most_requests = setup.operation.get("batch_requests") or batch_files.FACTS["requests"]

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """What the result files answer.

        Raises:
            UserError: some requests have no answer; the sentence says where they were written.
        """
        asked = {request.hash: request for group in groups for request in group}
        for path in sorted(self._folder.glob(f"*{RESULTS}")):
            for name, outcome in self._replies(path.read_bytes()):
                # An error is no last word: another file may hold an answer.
                if isinstance(outcome, Response) and outcome.status != "error" and name in asked:
                    request = asked.pop(name)
                    yield request, estimated(request, outcome)
        if asked:
            names = self._write(list(asked.values()))
            raise UserError(
                f"{len(asked)} requests stand in {', '.join(names)} ({self._folder}); run each "
                f"through a batch runner, put its output beside it with the ending {RESULTS} in "
                f"place of {REQUESTS}, and run again"
            )

    def _write(self, requests: list[Request]) -> list[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in self._folder.glob(f"*{REQUESTS}"):
            old.unlink()
        # Results keep the names of their requests: new files must not be taken for old ones.
        taken = {path.name for path in self._folder.glob(f"*{RESULTS}")}
        first = next(n for n in count() if f"batch-{n:03d}{RESULTS}" not in taken)
        files = batch_files.files_of(
            requests, self.answers, self._max_tokens_field, self._most_requests
        )
        names = []
        for number, chunk in enumerate(files, start=first):
            names.append(f"batch-{number:03d}{REQUESTS}")
            (self._folder / names[-1]).write_bytes(b"".join(line for _, line in chunk))
        return names
