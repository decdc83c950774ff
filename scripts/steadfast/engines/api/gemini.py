"""Google's Gemini API: generateContent, and its Batch API."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from urllib.parse import quote, urlsplit

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api.batch_files import Batch, Remote, batch_line
from steadfast.engines.api.batches import Batches
from steadfast.engines.api.body import array, clean, count, mapping, system_message, text
from steadfast.engines.api.client import ServerReply
from steadfast.engines.api.provider import FACTS, DialectProvider, joined
from steadfast.engines.api.replies import Retry, http_failure
from steadfast.engines.base import Setup

SAMPLING = {"temperature": "temperature", "top_p": "topP", "top_k": "topK"}
NOT_STARTED = {"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"}


class Gemini(DialectProvider):
    """Gemini models: a prompt is one text, for Gemini's implicit prefix caching."""

    engine = "gemini"

    def __init__(self, setup: Setup):
        super().__init__(setup, "GEMINI_API_KEY")
        self._tier: str | None = setup.operation.get("service_tier")
        name = self.answers["model"]
        self.whole_name = name if "/" in name else f"models/{name}"
        self.path = f"{self.facts['path']}/{quote(self.whole_name)}:generateContent"

    def headers(self, key: str) -> Record:
        return {"x-goog-api-key": key, "content-type": "application/json"}

    def body(self, request: Request) -> Record:
        roles = ("user", "model")
        turns = enumerate(chain.from_iterable(request.turns))
        contents = [content(turn, role=roles[n % 2]) for n, turn in turns]
        contents.append(content(request.prompt))
        seed = self.answers.get("seed")
        config: Record = {
            "maxOutputTokens": request.max_tokens,
            **self._sent(SAMPLING),
            # Each repeat has its own seed: with the same one, the same response may come again.
            **({} if seed is None else {"seed": seed + request.repeat}),
        }
        if thinking := self._thinking():
            config["thinkingConfig"] = thinking
        if request.schema:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = json.loads(request.schema)
        system = system_message(self.answers.get("system"), request.system)
        return self._with_extra(
            {
                "contents": contents,
                **({} if system is None else {"systemInstruction": content(system)}),
                "generationConfig": config,
                **({"serviceTier": self._tier} if self._tier else {}),
            }
        )

    def _thinking(self) -> Record:
        """Settings of thinking, with thoughts included in the reply."""
        if effort := self.answers.get("effort"):
            return {"thinkingLevel": effort.upper(), "includeThoughts": True}
        match self.answers.get("thinking"):
            case "budget":
                return {"thinkingBudget": self.answers["budget"], "includeThoughts": True}
            case "disabled":
                return {"thinkingBudget": 0}
        return {}

    def _counts(self, reply: Mapping[str, object]) -> Record:
        usage = mapping(reply.get("usageMetadata"))
        # A count of 0 is left out.
        response = count(usage.get("candidatesTokenCount"))
        reasoning = count(usage.get("thoughtsTokenCount"))
        counted = count(usage.get("totalTokenCount")) or response or reasoning
        return {
            "prompt_tokens": count(usage.get("promptTokenCount")),
            "cached_tokens": count(usage.get("cachedContentTokenCount")),
            "completion_tokens": (response or 0) + (reasoning or 0) if counted else None,
            "reasoning_tokens": reasoning,
            "served_model": text(reply.get("modelVersion")),
            "tier": self._tier,  # requests that the tier cannot serve are rejected
        }

    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        candidate = mapping(next(iter(array(reply.get("candidates"))), None))
        blocked = text(mapping(reply.get("promptFeedback")).get("blockReason"))
        if blocked and not candidate:
            return Response("refused", **counts, finish_reason=blocked)
        if not candidate:
            return Retry("invalid reply: no candidates")
        parts = array(mapping(candidate.get("content")).get("parts"))
        return self._settled(text(candidate.get("finishReason")), self._texts(parts), counts)

    def _texts(self, parts: list[object]) -> tuple[str | None, str | None] | None:
        responses: list[str] = []
        reasoning: list[str] = []
        for part in map(mapping, parts):
            part_text = text(part.get("text"))
            if part_text is not None:
                (reasoning if part.get("thought") else responses).append(part_text)
            elif not self._tools and not part.keys() <= {"thoughtSignature"}:
                return None
        return joined(responses), joined(reasoning) or None


def content(turn: str, role: str = "user") -> Record:
    """A turn of a conversation."""
    return {"parts": [{"text": clean(turn)}], "role": role}


class GeminiBatches(Batches[Gemini]):
    """Batches of Gemini, identified by their display names."""

    facts = FACTS["gemini"]["batch"]
    name = "key"

    def line(self, request: Request) -> bytes:
        return batch_line(key=request.hash, request=self.provider.body(request))

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        content = b"".join(lines)
        send = partial(self._upload, batch.key, content)
        return self.value(
            send, lambda reply: text(mapping(mapping(reply).get("file")).get("name")) or None
        )

    def _upload(self, key: str, content: bytes) -> ServerReply:
        """Starts a resumable upload, and sends the file to the path in the reply.

        The reply's host is ignored: the API key must not go to an address that a server names.
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
        upload_url = begun.headers.get("X-Goog-Upload-URL")
        if begun.status >= 400 or not upload_url:
            return begun
        sent = {"X-Goog-Upload-Offset": "0", "X-Goog-Upload-Command": "upload, finalize"}
        parts = urlsplit(upload_url)
        return self.http.post(f"{parts.path}?{parts.query}", content, **sent)

    def creation(self, batch: Batch, lines: Sequence[bytes]) -> tuple[str, bytes]:
        definition = {"displayName": batch.key, "inputConfig": {"fileName": batch.file_id}}
        path = self.provider.path.replace(":generateContent", ":batchGenerateContent")
        return path, json.dumps({"batch": definition}).encode()

    def list_all(self) -> Iterator[Remote]:
        path = f"{self.provider.facts['path']}/batches?pageSize=100"
        token = ""
        while True:
            page = path + (f"&pageToken={quote(token)}" if token else "")
            # A list without entries is an empty object.
            reply = self.get_value(page, lambda reply: reply if isinstance(reply, dict) else None)
            yield from filter(None, map(self.remote, array(reply.get("operations"))))
            previous = token
            token = text(reply.get("nextPageToken")) or ""
            if token in ("", previous):
                return

    def poll(self, batch_id: str) -> Remote:
        return self.get_value(f"{self.provider.facts['path']}/{quote(batch_id)}", self.remote)

    def result_path(self, file: str) -> str:
        return f"{self.facts['download']}/{quote(file)}:download?alt=media"

    def outcome(self, record: Settings) -> Response | Retry:
        if problem := mapping(record.get("error") or record.get("status")):
            code = count(problem.get("code"))
            status = self.facts["errors"].get(code, 500)
            return http_failure(status, {"error": problem})
        if not mapping(record.get("response")):
            return Retry("batch: no response")
        return self.provider.read(record["response"])

    def remote(self, value: object) -> Remote | None:
        operation = mapping(value)
        metadata = mapping(operation.get("metadata"))
        state = (text(metadata.get("state")) or "").removeprefix("BATCH_STATE_")
        output = mapping(metadata.get("output")) or mapping(operation.get("response"))
        return Remote.of(
            {"id": operation.get("name"), "status": state.removeprefix("JOB_STATE_")},
            metadata.get("displayName"),
            (output.get("responsesFile"),),
            mapping(operation.get("error")).get("message"),
        )
