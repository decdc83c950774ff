"""Shared code of providers with their own API format."""

from abc import abstractmethod
from collections.abc import Mapping

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request, Response
from steadfast.engines.api.body import clean, mapping
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import Retry, counted, fault, settled
from steadfast.engines.base import Setup

FACTS: Settings = facts("engines/providers.yaml")


class DialectProvider(Provider):
    """A provider whose request and reply format is not OpenAI's."""

    engine: str

    def __init__(self, setup: Setup, key_name: str):
        self.facts = FACTS[self.engine]
        self.address = self.facts["address"]
        self.path = self.facts["path"]
        self.models_path = self.facts["models"]
        super().__init__(setup, key_name)
        # The budget of reasoning tokens, which the output limit does not determine.
        reasoning = (setup.answers.get("reasoning") or {}).get("tokens")
        budget = reasoning if setup.own.get("thinking") == "budget" else None
        self.answers = self.determining(setup.own, engine=self.engine, budget=budget)
        self._tools = bool(self.answers.get("extra_body", {}).get("tools"))

    def read(self, reply: object) -> Response | Retry:
        body = mapping(reply)
        counts = self._counts(body)
        answer = fault(body["error"]) if body.get("error") else self._answer(body, counts)
        return counted(answer, counts)

    @abstractmethod
    def _counts(self, reply: Mapping[str, object]) -> Record:
        """Token counts and served model of a reply, as fields of a response."""

    @abstractmethod
    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        """The response in a reply that is no error."""

    def _settled(
        self, reason: str | None, words: tuple[str | None, str | None] | None, known: Record
    ) -> Response | Retry:
        called = reason == "tool_use"
        status = None if called and not self._tools else self.facts["ends"].get(reason)
        return settled(status, words, {**known, "finish_reason": reason}, called=called)

    def _sent(self, names: Mapping[str, str]) -> Record:
        """The settings that are set, by their names in the provider's API."""
        return {field: self.answers[key] for key, field in names.items() if key in self.answers}

    def _with_extra(self, body: Record) -> Record:
        """The body with the config's extra_body, merged into nested fields too."""
        merged = dict(body)
        for name, value in self.answers.get("extra_body", {}).items():
            field = merged.get(name)
            merged[name] = {**field, **value} if isinstance(field, dict) else value
        return merged


def parts_of(request: Request) -> list[str]:
    """A prompt's shared prefix and its own suffix; one part where either is blank."""
    parts = [clean(request.prefix), clean(request.suffix)]
    return parts if all(part.strip() for part in parts) else ["".join(parts)]


def joined(words: list[str]) -> str | None:
    """Pieces of a text joined; None without pieces."""
    return "".join(words) if words else None
