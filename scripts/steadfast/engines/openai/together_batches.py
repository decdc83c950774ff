"""Together's batches: OpenAI's files, in lines without address, and batches without metadata.

By its guides "Batch inference" and the reference of its API (docs.together.ai, November 2026).
"""

import json
from collections.abc import Sequence
from functools import partial

from steadfast.base.files import Record
from steadfast.contract.request import Request
from steadfast.engines.openai.batch_files import FACTS, Batch, Remote
from steadfast.engines.openai.batches import ChatBatches
from steadfast.engines.openai.body import mapping, text
from steadfast.engines.openai.client import ServerReply

CONFLICT = 409


class TogetherBatches(ChatBatches):
    """A batch is found again by its file.

    A file that was uploaded before keeps its id (Together's client reads it from the error 409), so
    the batches that were made of it before are written down behind that id.
    """

    facts = FACTS["together"]

    def line(self, request: Request) -> bytes:
        named = {"custom_id": request.hash, "body": self.provider.body(request)}
        return json.dumps(named, ensure_ascii=False).encode() + b"\n"

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        file = self.calls.value(
            partial(self._upload, f"{batch.key}.jsonl", b"".join(lines)),
            lambda reply: text(mapping(reply).get("id")) or text(mapping(reply).get("file_id")),
        )
        return " ".join([file, *(remote.id for remote in self._made_of(file))])

    def _upload(self, name: str, content: bytes) -> ServerReply:
        fields = {"purpose": "batch-api", "file_name": name, "file_type": "jsonl"}
        reply = self.http.upload("/files/upload", fields, name, content)
        return reply._replace(status=200) if reply.status == CONFLICT else reply

    def wanted(self, batch: Batch) -> Record:
        file, *_ = str(batch.file_id).split(" ")
        return {"endpoint": self.provider.endpoint, "input_file_id": file}

    def find(self, batch: Batch) -> Remote | None:
        file, *before = str(batch.file_id).split(" ")
        return next((one for one in self._made_of(file) if one.id not in before), None)

    def _made_of(self, file: str) -> list[Remote]:
        """The batches of a file."""
        listed = partial(self.http.get, self.path)  # all of them: the list has no pages
        jobs = self.calls.value(listed, lambda reply: reply if isinstance(reply, list) else None)
        return [remote for job in jobs if (remote := self.remote(job)) and remote.key == file]

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        said = mapping(said.get("job")) or said  # one that was just made stands in an object
        files = said.get("output_file_id"), said.get("error_file_id")
        return Remote.of(said, said.get("input_file_id"), files, said.get("error"))
