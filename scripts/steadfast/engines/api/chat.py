"""OpenAI's API, which most servers support: chat completions, and completions for base models."""

from collections.abc import Callable, Mapping
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request, Response
from steadfast.engines.api.body import SUFFIX, clean, request_body
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import Retry, completion, usage_of
from steadfast.engines.base import Setup
from steadfast.engines.cost.options import host_of
from steadfast.engines.sending.local_text import LocalText

# Lifetime of cache entries at OpenAI for a breakpoint without one.
USUAL_LIFETIME = "30m"


class Chat(Provider):
    """A server with an OpenAI-compatible API."""

    packages = ("openai",)

    def __init__(self, setup: Setup):
        super().__init__(setup, "OPENAI_API_KEY")
        own = setup.own
        template = own.get("template") or "chat"
        serve = own.get("serve")
        self.answers = self.determining(
            own,
            engine="openai",
            template=template,
            suffix=SUFFIX if template == "base" else None,
            # The program's folder depends on the machine: only its name counts.
            serve=[Path(serve[0]).name, *serve[1:]] if serve else None,
        )
        # The name in batch files.
        self.endpoint = "/v1/completions" if template == "base" else "/v1/chat/completions"
        self.path = self.endpoint.removeprefix("/v1")
        self._own_text = None
        if "/" in (name := setup.answers.get("tokenizer") or ""):
            system = own.get("system")
            revision = own.get("revision")
            self._own_text = LocalText(name, revision=revision, template=template, system=system)
        self.tokenizer = self._own_text
        host = host_of(setup.operation.get("base_url"))
        self._fields: Settings = facts("engines/hosts.yaml").get(host, {})
        self._max_tokens_field = setup.operation.get("max_tokens_field", "max_tokens")
        lifetime = setup.operation.get("cache")
        further = {} if lifetime in (None, USUAL_LIFETIME) else {"ttl": lifetime}
        self._mark: Record = {"mode": "explicit", **further} if lifetime else {}
        self._service_tier: str | None = setup.operation.get("service_tier")
        extra = self.answers.get("extra_body", {})
        self._tools = bool(extra.get("tools") or extra.get("functions"))

    def template_tokens(self, count: Callable[[str], int]) -> int:
        if self._own_text:
            return self._own_text.template_tokens()
        if self.answers["template"] == "base":
            return count("\n" + SUFFIX)
        return super().template_tokens(count)

    def body(self, request: Request) -> Record:
        body = request_body(self.answers, request, self._max_tokens_field)
        body = {self._fields.get(name, name): value for name, value in body.items()}
        if self.parts(request):
            mark = {"prompt_cache_breakpoint": self._mark} if self._marks(request) else {}
            question = {"type": "text", "text": clean(request.suffix)}
            shared = {"type": "text", "text": clean(request.prefix), **mark}
            body["messages"][-1]["content"] = [shared, question]
        if self._mark:  # else each whole prompt is written to the cache, and paid for
            body["prompt_cache_options"] = {"mode": "explicit"}
        if self._service_tier:
            body["service_tier"] = self._service_tier
        return body

    def parts(self, request: Request) -> int | None:
        is_whole = not (request.prefix and request.suffix)
        return 2 if not is_whole and self._marks(request) else None

    def _marks(self, request: Request) -> bool:
        return bool(self._mark) and self.is_shared(request)

    def _counts(self, reply: Mapping[str, object]) -> Record:
        return usage_of(reply)

    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        return completion(reply, counts, tools=self._tools)
