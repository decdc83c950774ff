"""Anthropic's Messages API, and its Message Batches."""

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from urllib.parse import quote

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api.batch_files import Batch, Remote, batch_line
from steadfast.engines.api.batches import Batches
from steadfast.engines.api.body import array, count, mapping, messages, system_message, text
from steadfast.engines.api.provider import FACTS, DialectProvider, joined, parts_of
from steadfast.engines.api.replies import Retry, http_failure
from steadfast.engines.base import Setup

THINKING = {"adaptive": "adaptive", "budget": "enabled", "disabled": "disabled"}
# Stands for the newest batch where there are none.
NONE = "none"


class Anthropic(DialectProvider):
    """Claude models.

    A prompt is always two content blocks, its shared prefix and its own suffix, with a cache
    breakpoint or without: so caching changes nothing of what the model reads.
    """

    engine = "anthropic"
    most_live = 21_333  # beyond it Anthropic's own client requires streaming

    def __init__(self, setup: Setup):
        super().__init__(setup, "ANTHROPIC_API_KEY")
        self._cache = setup.operation.get("cache", "5m")

    def headers(self, key: str) -> Record:
        return {
            "x-api-key": key,
            "anthropic-version": self.facts["versions"][self._sampling() != {}],
            "content-type": "application/json",
        }

    def _sampling(self) -> Record:
        return self._sent({"temperature": "temperature", "top_p": "top_p", "top_k": "top_k"})

    def body(self, request: Request) -> Record:
        parts: list[Record] = [{"type": "text", "text": part} for part in parts_of(request)]
        if self._cache and len(parts) > 1 and not request.turns and self.is_shared(request):
            parts[0]["cache_control"] = {"type": "ephemeral", "ttl": self._cache}
        before = messages("", request.turns)[:-1]  # the prompt itself goes in parts
        thinking: Record = {}
        if kind := self.answers.get("thinking"):
            budget = {"budget_tokens": self.answers["budget"]} if kind == "budget" else {}
            thinking = {"thinking": {"type": THINKING[kind], **budget}}
        system = system_message(self.answers.get("system"), request.system)
        output = self._sent({"effort": "effort"})
        if request.schema:
            output["format"] = {"type": "json_schema", "schema": json.loads(request.schema)}
        return self._with_extra(
            {
                "model": self.answers["model"],
                "max_tokens": request.max_tokens,
                **({} if system is None else {"system": system}),
                **self._sampling(),
                **thinking,
                **({"output_config": output} if output else {}),
                "messages": [*before, {"role": "user", "content": parts}],
            }
        )

    def _counts(self, reply: Mapping[str, object]) -> Record:
        usage = mapping(reply.get("usage"))
        uncached = count(usage.get("input_tokens"))
        written = count(usage.get("cache_creation_input_tokens"))
        cached = count(usage.get("cache_read_input_tokens"))
        prompt = None if uncached is None else uncached + (written or 0) + (cached or 0)
        details = mapping(usage.get("output_tokens_details"))
        return {
            "prompt_tokens": prompt,
            "cached_tokens": cached,
            "written_tokens": written,
            "completion_tokens": count(usage.get("output_tokens")),
            "reasoning_tokens": count(details.get("thinking_tokens")),
            "served_model": text(reply.get("model")),
        }

    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        if not isinstance(blocks := reply.get("content"), list):
            return Retry("invalid reply: no content")
        return self._settled(text(reply.get("stop_reason")), self._texts(blocks), counts)

    def _texts(self, blocks: list[object]) -> tuple[str | None, str | None] | None:
        responses: list[str] = []
        reasoning: list[str] = []
        for block in map(mapping, array(blocks)):
            response = text(block.get("text"))
            thinking = text(block.get("thinking"))
            if block.get("type") == "text" and response is not None:
                responses.append(response)
            elif block.get("type") == "thinking" and thinking is not None:
                reasoning.append(thinking)
            elif block.get("type") != "redacted_thinking" and not self._tools:
                return None
        return joined(responses), joined(reasoning) or None


class AnthropicBatches(Batches[Anthropic]):
    """Message Batches have no name: ours are identified by the requests in their results.

    Before a batch is created, the newest existing one is recorded. If the reply to the creation is
    lost, ours is looked for among the newer batches with as many requests, by their results.
    """

    facts = FACTS["anthropic"]["batch"]
    path = facts["path"]
    after = "after_id"

    def line(self, request: Request) -> bytes:
        return batch_line(custom_id=request.hash, params=self.provider.body(request))

    def prepare(self, batch: Batch, lines: Sequence[bytes]) -> str:
        newest = next(self.list_all(), None)
        return newest.id if newest else NONE

    def creation(self, batch: Batch, lines: Sequence[bytes]) -> tuple[str, bytes]:
        return self.path, b'{"requests":[' + b",".join(lines) + b"]}"

    def find(self, batch: Batch) -> Remote | None:
        while True:
            newer = takewhile(lambda remote: remote.id != batch.file_id, self.list_all())
            candidates = [remote for remote in newer if remote.requests == len(batch.hashes)]
            for remote in candidates:
                if remote.files and self._has_request_of(batch, remote):
                    return remote
            if all(remote.files for remote in candidates):
                return None
            self.pause()  # a batch still running may be ours

    def _has_request_of(self, batch: Batch, remote: Remote) -> bool:
        names = [name for name, _ in self.replies(self.result(remote.id))]
        return not set(batch.hashes).isdisjoint(names)

    def remote(self, value: object) -> Remote | None:
        batch = mapping(value)
        status = text(batch.get("processing_status")) or ""
        files = (batch.get("id"),) if status in self.facts["ended"] else ()
        requests = 0  # of all states together
        for number in mapping(batch.get("request_counts")).values():
            requests += count(number) or 0
        return Remote.of({**batch, "status": status}, None, files, "", requests)

    def result_path(self, file: str) -> str:
        # Not results_url: the API key must not go to an address that a server names.
        return f"{self.path}/{quote(file, safe='')}/results"

    def outcome(self, record: Settings) -> Response | Retry:
        result = mapping(record.get("result"))
        match result.get("type"):
            case "succeeded":
                return self.provider.read(result.get("message"))
            case "errored":
                error = mapping(result.get("error"))
                kind = text(mapping(error.get("error")).get("type")) or ""
                return http_failure(self.facts["errors"].get(kind, 500), error)
            case "expired" | "canceled" as ended:
                return Retry(f"batch: {ended}")
        return Retry("batch: no response")
