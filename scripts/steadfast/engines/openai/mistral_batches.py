"""Mistral's batches: OpenAI's files, in lines without address and model, and jobs of their own."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import count
from urllib.parse import quote

from steadfast.base.files import Record
from steadfast.contract.request import Request
from steadfast.engines.openai.batch_files import FACTS, METADATA, Batch, Remote
from steadfast.engines.openai.batches import ChatBatches
from steadfast.engines.openai.body import array, clean, mapping, text
from steadfast.engines.openai.replies import MESSAGE_CHARACTERS

PAGE = 100  # jobs of a list at once


class MistralBatches(ChatBatches):
    """A job has one model for all its lines, and is found again by its metadata."""

    facts = FACTS["mistral"]

    def line(self, request: Request) -> bytes:
        body = {k: value for k, value in self.provider.body(request).items() if k != "model"}
        named = {"custom_id": request.hash, "body": body}
        return json.dumps(named, ensure_ascii=False).encode() + b"\n"

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        made: Record = {
            "input_files": [batch.file_id],
            "model": self.provider.answers["model"],
            "endpoint": self.provider.endpoint,
            "metadata": {METADATA: batch.key},
            "timeout_hours": self.facts["hours"],
        }
        make = partial(self.http.post, "/batch/jobs", json.dumps(made).encode())
        return self.calls.value(make, job_of, lambda: self.find(batch))

    def find(self, batch: Batch) -> Remote | None:
        for number in count():
            page = partial(self.http.get, f"/batch/jobs?page={number}&page_size={PAGE}")
            reply = self.calls.value(page, lambda reply: mapping(reply) or None)
            jobs = array(reply.get("data"))
            for remote in map(job_of, jobs):
                if remote and remote.key == batch.key:
                    return remote
            if len(jobs) < PAGE:
                break
        return None

    def look(self, batch_id: str) -> Remote:
        path = f"/batch/jobs/{quote(batch_id, safe='')}"
        return self.calls.value(partial(self.http.get, path), job_of)


def job_of(value: object) -> Remote | None:
    """The batch that a job is; None where the value describes none."""
    said = mapping(value)
    name, status = text(said.get("id")), text(said.get("status"))
    if not name or not status:
        return None
    files = [text(said.get(place)) for place in ("output_file", "error_file")]
    error = mapping(next(iter(array(said.get("errors"))), None))
    problem = " ".join((text(error.get("message")) or "").split())
    return Remote(
        id=name,
        status=status.lower(),
        key=text(mapping(said.get("metadata")).get(METADATA)),
        files=tuple(file for file in files if file),
        problem=clean(problem)[:MESSAGE_CHARACTERS],
    )
