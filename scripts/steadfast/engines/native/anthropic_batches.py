"""Anthropic's Message Batches."""

from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from urllib.parse import quote

from steadfast.base.files import Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.native.anthropic import Anthropic
from steadfast.engines.native.dialect import FACTS
from steadfast.engines.openai.batch_files import Batch, Remote, batch_line
from steadfast.engines.openai.batches import Batches
from steadfast.engines.openai.body import count, mapping, text
from steadfast.engines.openai.replies import Retry, failure

NONE = "none"
"""What stands for the newest batch where there is none."""


class AnthropicBatches(Batches[Anthropic]):
    """Batches carry no name: one of ours is known by the requests that it answers.

    Before a batch is made, the newest one is written down. Whether ours was made after it is told
    by the results of those that are newer and have as many requests.
    """

    facts = FACTS["anthropic"]["batch"]
    path = facts["path"]
    after = "after_id"

    def line(self, request: Request) -> bytes:
        return batch_line(custom_id=request.hash, params=self.provider.body(request))

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        newest = next(self.listed(), None)
        return newest.id if newest else NONE

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        content = b'{"requests":[' + b",".join(lines) + b"]}"
        make = partial(self.http.post, self.path, content)
        return self.calls.value(make, self.remote, lambda: self.find(batch))

    def find(self, batch: Batch) -> Remote | None:
        while True:
            newer = takewhile(lambda remote: remote.id != batch.file_id, self.listed())
            alike = [remote for remote in newer if remote.requests == len(batch.hashes)]
            ended = [remote for remote in alike if remote.files]
            for remote in ended:
                names = {name for name, _ in self.replies(self.result(remote.id))}
                if names & set(batch.hashes):
                    return remote
            if len(ended) == len(alike):
                return None
            self.calls.pause()  # what is not ended may be ours

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        status = text(said.get("processing_status")) or ""
        files = (said.get("id"),) if status in self.facts["ended"] else ()
        sizes = mapping(said.get("request_counts")).values()
        requests = sum(count(size) or 0 for size in sizes)
        return Remote.of({**said, "status": status}, None, files, "", requests)

    def result(self, file: str) -> bytes:
        # Not where results_url leads: the key goes to no address that a server names.
        path = f"{self.path}/{quote(file, safe='')}/results"
        return self.calls.content(partial(self.http.get, path))

    def outcome(self, record: Settings, whole: bool) -> Response | Retry:
        result = mapping(record.get("result"))
        match result.get("type"):
            case "succeeded":
                return self.provider.read(result.get("message"))
            case "errored":
                error = mapping(result.get("error"))
                kind = text(mapping(error.get("error")).get("type")) or ""
                return failure(self.facts["errors"].get(kind, 500), error, {}, 0.0)
            case "expired" | "canceled" as ended:
                return Retry(f"batch: {ended}")
        return Retry("batch: no response")
