"""Batches of Google's Gemini API: files of requests, and batches known by their names."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote, urlsplit

from steadfast.contract.request import Request, Response
from steadfast.engines.native.dialect import FACTS
from steadfast.engines.native.gemini import Gemini
from steadfast.engines.openai.batch_files import Batch, Remote
from steadfast.engines.openai.batches import Batches, Outcome
from steadfast.engines.openai.body import array, clean, count, mapping, parsed, text
from steadfast.engines.openai.client import ServerReply
from steadfast.engines.openai.replies import MESSAGE_CHARACTERS, Retry, failure

NOT_STARTED = {"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"}


class GeminiBatches(Batches[Gemini]):
    """A batch is found again by its display name."""

    facts = FACTS["gemini"]["batch"]

    def line(self, request: Request) -> bytes:
        named = {"key": request.hash, "request": self.provider.body(request)}
        return json.dumps(named, ensure_ascii=False).encode() + b"\n"

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        content = b"".join(lines)
        send = partial(self._upload, batch.key, content)
        return self.calls.value(
            send, lambda reply: text(mapping(mapping(reply).get("file")).get("name")) or None
        )

    def _upload(self, key: str, content: bytes) -> ServerReply:
        """Says what will come, and sends it to the path that the reply to that names.

        Its host is left out: the key goes to no address that a server names.
        """
        named = json.dumps({"file": {"displayName": key}}).encode()
        begun = self.http.post(
            self.facts["upload"],
            named,
            **{
                **NOT_STARTED,
                "X-Goog-Upload-Header-Content-Length": str(len(content)),
                "X-Goog-Upload-Header-Content-Type": "application/jsonl",
            },
        )
        place = begun.headers.get("X-Goog-Upload-URL")
        if begun.status >= 400 or not place:
            return begun
        sent = {"X-Goog-Upload-Offset": "0", "X-Goog-Upload-Command": "upload, finalize"}
        parts = urlsplit(place)
        return self.http.post(f"{parts.path}?{parts.query}", content, **sent)

    def create(self, batch: Batch, lines: Sequence[bytes]) -> Remote:
        wanted = {"displayName": batch.key, "inputConfig": {"fileName": batch.file_id}}
        path = self.provider.path.replace(":generateContent", ":batchGenerateContent")
        make = partial(self.http.post, path, json.dumps({"batch": wanted}).encode())
        return self.calls.value(make, remote_of, lambda: self.find(batch))

    def find(self, batch: Batch) -> Remote | None:
        path, token = f"{self.provider.facts['path']}/batches?pageSize=100", ""
        while True:
            page = partial(self.http.get, path + (f"&pageToken={quote(token)}" if token else ""))
            # A list without entries is an empty object.
            reply = self.calls.value(page, lambda reply: reply if isinstance(reply, dict) else None)
            for remote in map(remote_of, array(reply.get("operations"))):
                if remote and remote.key == batch.key:
                    return remote
            before, token = token, text(reply.get("nextPageToken")) or ""
            if token in ("", before):
                return None

    def look(self, batch_id: str) -> Remote:
        path = f"{self.provider.facts['path']}/{quote(batch_id)}"
        return self.calls.value(partial(self.http.get, path), remote_of)

    def result(self, file: str) -> bytes:
        path = f"{self.facts['download']}/{quote(file)}:download?alt=media"
        return self.calls.content(partial(self.http.get, path))

    def replies(self, content: bytes) -> Iterator[Outcome]:
        for line in content.split(b"\n"):
            record = mapping(parsed(self.calls.redacted(line)))
            if isinstance(name := record.get("key"), str):
                yield name, self._outcome(record)

    def _outcome(self, record: object) -> Response | Retry:
        said = mapping(record)
        if problem := mapping(said.get("error") or said.get("status")):
            code = count(problem.get("code"))
            status = self.facts["errors"].get(code, 500)
            return failure(status, {"error": problem}, {}, 0.0)
        if not mapping(said.get("response")):
            return Retry("batch: no response")
        return self.provider.message(said["response"])


def remote_of(value: object) -> Remote | None:
    """The batch that an operation describes; None where it describes none."""
    said = mapping(value)
    about = mapping(said.get("metadata"))
    name, state = text(said.get("name")), text(about.get("state"))
    if not name or not state:
        return None
    output = mapping(about.get("output")) or mapping(said.get("response"))
    file = text(output.get("responsesFile"))
    message = text(mapping(said.get("error")).get("message")) or ""
    return Remote(
        id=name,
        status=state.removeprefix("BATCH_STATE_").removeprefix("JOB_STATE_").lower(),
        key=text(about.get("displayName")),
        files=(file,) if file else (),
        problem=clean(" ".join(message.split()))[:MESSAGE_CHARACTERS],
    )
