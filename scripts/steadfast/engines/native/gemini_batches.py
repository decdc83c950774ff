"""Batches of Google's Gemini API: files of requests, and batches known by their names."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote, urlsplit

from steadfast.base.files import Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.native.dialect import FACTS
from steadfast.engines.native.gemini import Gemini
from steadfast.engines.openai.batch_files import Batch, Remote, batch_line
from steadfast.engines.openai.batches import Batches
from steadfast.engines.openai.body import array, count, mapping, text
from steadfast.engines.openai.client import ServerReply
from steadfast.engines.openai.replies import Retry, failure

NOT_STARTED = {"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"}


class GeminiBatches(Batches[Gemini]):
    """A batch is found again by its display name."""

    facts = FACTS["gemini"]["batch"]
    name = "key"

    def line(self, request: Request) -> bytes:
        return batch_line(key=request.hash, request=self.provider.body(request))

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
        return self.calls.value(make, self.remote, lambda: self.find(batch))

    def listed(self) -> Iterator[Remote]:
        path, token = f"{self.provider.facts['path']}/batches?pageSize=100", ""
        while True:
            page = path + (f"&pageToken={quote(token)}" if token else "")
            # A list without entries is an empty object.
            reply = self.got(page, lambda reply: reply if isinstance(reply, dict) else None)
            yield from filter(None, map(self.remote, array(reply.get("operations"))))
            before, token = token, text(reply.get("nextPageToken")) or ""
            if token in ("", before):
                return

    def look(self, batch_id: str) -> Remote:
        return self.got(f"{self.provider.facts['path']}/{quote(batch_id)}", self.remote)

    def result(self, file: str) -> bytes:
        path = f"{self.facts['download']}/{quote(file)}:download?alt=media"
        return self.calls.content(partial(self.http.get, path))

    def outcome(self, record: Settings, whole: bool) -> Response | Retry:
        if problem := mapping(record.get("error") or record.get("status")):
            code = count(problem.get("code"))
            status = self.facts["errors"].get(code, 500)
            return failure(status, {"error": problem}, {}, 0.0)
        if not mapping(record.get("response")):
            return Retry("batch: no response")
        return self.provider.read(record["response"])

    def remote(self, value: object) -> Remote | None:
        said = mapping(value)
        about = mapping(said.get("metadata"))
        state = (text(about.get("state")) or "").removeprefix("BATCH_STATE_")
        output = mapping(about.get("output")) or mapping(said.get("response"))
        return Remote.of(
            {"id": said.get("name"), "status": state.removeprefix("JOB_STATE_")},
            about.get("displayName"),
            (output.get("responsesFile"),),
            mapping(said.get("error")).get("message"),
        )
