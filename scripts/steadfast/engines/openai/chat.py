"""OpenAI's API, which most servers have too: chat completions, and completions of base models."""

from collections.abc import Callable
from pathlib import Path

from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.asking.local_text import LocalText
from steadfast.engines.base import Setup
from steadfast.engines.openai.body import SUFFIX, request_body, request_url
from steadfast.engines.openai.provider import Provider
from steadfast.engines.openai.replies import Retry, read_completion


class Chat(Provider):
    """Any server with an OpenAI-compatible API."""

    packages = ("openai",)

    def __init__(self, setup: Setup):
        super().__init__(setup, "OPENAI_API_KEY")
        own = setup.own
        temperature = own.get("temperature", 0.0)
        settings = {
            **own,
            "engine": "openai",
            "template": own.get("template") or "chat",
            "temperature": None if temperature is None else float(temperature),
        }
        if settings["template"] == "base":
            settings["suffix"] = SUFFIX
        if serve := own.get("serve"):  # where the program lies is a fact of the machine
            settings["serve"] = [Path(serve[0]).name, *serve[1:]]
        # A key that is absent and one that is null or empty are the same.
        self.answers = {k: v for k, v in settings.items() if v is not None and v != {}}
        self.endpoint = request_url(self.answers)
        self.path = self.endpoint.removeprefix("/v1")
        self._own_text = self._text_of(setup.answers.get("tokenizer") or "")
        self.tokenizer = self._own_text
        self._max_tokens_field = setup.operation.get("max_tokens_field", "max_tokens")
        self.logprobs = "logprobs" in self.answers
        extra = self.answers.get("extra_body", {})
        self.tools = bool(extra.get("tools") or extra.get("functions"))

    def _text_of(self, name: str) -> LocalText | None:
        if "/" not in name:
            return None
        return LocalText(
            name,
            revision=self.answers.get("revision"),
            template=self.answers["template"],
            system=self.answers.get("system"),
        )

    def template_tokens(self, count: Callable[[str], int]) -> int:
        if self._own_text:
            return self._own_text.template_tokens()
        if self.answers["template"] == "base":
            return count("\n" + SUFFIX)
        return super().template_tokens(count)

    def body(self, request: Request) -> Record:
        return request_body(self.answers, request, self._max_tokens_field)

    def read(self, content: bytes, *, whole: bool) -> Response | Retry:
        # Token by token, log probabilities would spell the key of an answer that repeats it.
        return read_completion(content, logprobs=self.logprobs and whole, tools=self.tools)
