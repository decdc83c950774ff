"""Anthropic's Messages API."""

import json
from collections.abc import Mapping

from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Setup
from steadfast.engines.native.dialect import NativeProvider, joined, parts_of
from steadfast.engines.openai.body import array, count, mapping, messages, text
from steadfast.engines.openai.replies import Retry

THINKING = {"adaptive": "adaptive", "budget": "enabled", "disabled": "disabled"}
INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Anthropic(NativeProvider):
    """Claude models.

    A prompt is always two blocks, its shared part and its own, marked for the cache or not: so
    marks change nothing of what the model reads.
    """

    engine = "anthropic"

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
        return self._sent({name: name for name in ("temperature", "top_p", "top_k")})

    def body(self, request: Request) -> Record:
        parts: list[Record] = [{"type": "text", "text": part} for part in parts_of(request)]
        if self._cache and len(parts) > 1 and not request.turns and self.is_shared(request):
            parts[0]["cache_control"] = {"type": "ephemeral", "ttl": self._cache}
        thinking: Record = {}
        if kind := self.answers.get("thinking"):
            budget = {"budget_tokens": self.answers["budget"]} if kind == "budget" else {}
            thinking = {"thinking": {"type": THINKING[kind], **budget}}
        output = self._sent({"effort": "effort"})
        if request.schema:
            output["format"] = {"type": "json_schema", "schema": json.loads(request.schema)}
        return self._with_extra(
            {
                "model": self.answers["model"],
                "max_tokens": request.max_tokens,
                **self._sent({"system": "system"}),
                **self._sampling(),
                **thinking,
                **({"output_config": output} if output else {}),
                "messages": [
                    *messages("", request.turns)[:-1],
                    {"role": "user", "content": parts},
                ],
            }
        )

    def _answer(self, reply: Mapping[str, object]) -> Response | Retry:
        if not isinstance(blocks := reply.get("content"), list):
            return Retry("a body without content")
        usage = mapping(reply.get("usage"))
        tokens = [count(usage.get(name)) for name in INPUT]
        known: Record = {
            "prompt_tokens": None if tokens[0] is None else sum(one or 0 for one in tokens),
            "cached_tokens": tokens[2],
            "written_tokens": tokens[1],
            "completion_tokens": count(usage.get("output_tokens")),
            "thought_tokens": count(
                mapping(usage.get("output_tokens_details")).get("thinking_tokens")
            ),
            "served_model": text(reply.get("model")),
        }
        return self._settled(text(reply.get("stop_reason")), self._words(blocks), known)

    def _words(self, blocks: list[object]) -> tuple[str | None, str | None] | None:
        answers, thoughts = [], []
        for block in map(mapping, array(blocks)):
            said, thought = text(block.get("text")), text(block.get("thinking"))
            if block.get("type") == "text" and said is not None:
                answers.append(said)
            elif block.get("type") == "thinking" and thought is not None:
                thoughts.append(thought)
            elif block.get("type") != "redacted_thinking" and not self._tools:
                return None
        return joined(answers), joined(thoughts) or None
