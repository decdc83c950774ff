"""Mistral's batches: OpenAI's files, in lines without address and model, and jobs of their own."""

import json
from functools import partial
from itertools import count

from steadfast.base.files import Record
from steadfast.contract.request import Request
from steadfast.engines.openai.batch_files import FACTS, METADATA, Batch, Remote
from steadfast.engines.openai.batches import ChatBatches
from steadfast.engines.openai.body import array, mapping

PAGE = 100  # jobs of a list at once


class MistralBatches(ChatBatches):
    """A job has one model for all its lines, and is found again by its metadata."""

    facts = FACTS["mistral"]
    path = "/batch/jobs"

    def line(self, request: Request) -> bytes:
        body = {k: value for k, value in self.provider.body(request).items() if k != "model"}
        named = {"custom_id": request.hash, "body": body}
        return json.dumps(named, ensure_ascii=False).encode() + b"\n"

    def wanted(self, batch: Batch) -> Record:
        return {
            "input_files": [batch.file_id],
            "model": self.provider.answers["model"],
            "endpoint": self.provider.endpoint,
            "metadata": {METADATA: batch.key},
            "timeout_hours": self.facts["hours"],
        }

    def find(self, batch: Batch) -> Remote | None:
        for number in count():
            page = partial(self.http.get, f"{self.path}?page={number}&page_size={PAGE}")
            reply = self.calls.value(page, lambda reply: mapping(reply) or None)
            jobs = array(reply.get("data"))
            for remote in map(self.remote, jobs):
                if remote and remote.key == batch.key:
                    return remote
            if len(jobs) < PAGE:
                break
        return None

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        error = mapping(next(iter(array(said.get("errors"))), None))
        key = mapping(said.get("metadata")).get(METADATA)
        files = said.get("output_file"), said.get("error_file")
        return Remote.of(said, key, files, error.get("message"))
