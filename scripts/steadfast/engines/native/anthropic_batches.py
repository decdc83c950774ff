"""Anthropic's Message Batches."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote

from steadfast.contract.request import Request, Response
from steadfast.engines.native.anthropic import Anthropic
from steadfast.engines.native.dialect import FACTS
from steadfast.engines.openai.batch_files import Batch, Remote
from steadfast.engines.openai.batches import Batches, Outcome
from steadfast.engines.openai.body import array, count, mapping, parsed, text
from steadfast.engines.openai.replies import Retry, failure

NONE = "none"
"""What stands for the newest batch where there is none."""


class AnthropicBatches(Batches[Anthropic]):
    """Batches carry no name: one of ours is known by the requests that it answers.

    Before a batch is made, the newest one is written down. Whether ours was made after it is told
    by the results of those that are newer and have as many requests.
    """

    facts = FACTS["anthropic"]["batch"]

    def line(self, request: Request) -> bytes:
        named = {"custom_id": request.hash, "params": self.provider.body(request)}
        return json.dumps(named, ensure_ascii=False).encode() + b"\n"

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        newest, _ = self._page("?limit=1")
        return newest[0][0].id if newest else NONE

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        content = b'{"requests":[' + b",".join(lines) + b"]}"
        make = partial(self.http.post, self.facts["path"], content)
        return self.calls.value(make, self._remote, lambda: self.find(batch))

    def find(self, batch: Batch) -> Remote | None:
        while True:
            alike = [r for r, size in self._newer(batch.file_id) if size == len(batch.hashes)]
            ended = [remote for remote in alike if remote.files]
            for remote in ended:
                names = {name for name, _ in self.replies(self.result(remote.id))}
                if names & set(batch.hashes):
                    return remote
            if len(ended) == len(alike):
                return None
            self.calls.pause()  # what is not ended may be ours

    def _newer(self, than: str | None) -> Iterator[tuple[Remote, int]]:
        """The batches that were made after one, and how many requests they have."""
        query, more = "?limit=100", True
        while more:
            page, more = self._page(query)
            for remote, size in page:
                if remote.id == than:
                    return
                yield remote, size
            before = query
            query = f"?limit=100&after_id={quote(page[-1][0].id, safe='')}" if page else before
            more = more and query != before

    def _page(self, query: str) -> tuple[list[tuple[Remote, int]], bool]:
        page = partial(self.http.get, self.facts["path"] + query)
        reply = self.calls.value(page, lambda reply: mapping(reply) or None)
        found = []
        for one in array(reply.get("data")):
            if remote := self._remote(one):
                sizes = mapping(mapping(one).get("request_counts")).values()
                found.append((remote, sum(count(size) or 0 for size in sizes)))
        return found, reply.get("has_more") is True

    def look(self, batch_id: str) -> Remote:
        path = f"{self.facts['path']}/{quote(batch_id, safe='')}"
        return self.calls.value(partial(self.http.get, path), self._remote)

    def _remote(self, value: object) -> Remote | None:
        said = mapping(value)
        name, status = text(said.get("id")), text(said.get("processing_status"))
        if not name or not status:
            return None
        files = (name,) if status in self.facts["ended"] else ()
        return Remote(name, status, key=None, files=files, problem="")

    def result(self, file: str) -> bytes:
        # Not where results_url leads: the key goes to no address that a server names.
        path = f"{self.facts['path']}/{quote(file, safe='')}/results"
        return self.calls.content(partial(self.http.get, path))

    def replies(self, content: bytes) -> Iterator[Outcome]:
        for line in content.split(b"\n"):
            record = mapping(parsed(self.calls.redacted(line)))
            if isinstance(name := record.get("custom_id"), str):
                yield name, self._outcome(record.get("result"))

    def _outcome(self, value: object) -> Response | Retry:
        result = mapping(value)
        match result.get("type"):
            case "succeeded":
                return self.provider.message(result.get("message"))
            case "errored":
                error = mapping(result.get("error"))
                kind = text(mapping(error.get("error")).get("type")) or ""
                return failure(self.facts["errors"].get(kind, 500), error, {}, 0.0)
            case "expired" | "canceled" as ended:
                return Retry(f"batch: {ended}")
        return Retry("batch: no response")
