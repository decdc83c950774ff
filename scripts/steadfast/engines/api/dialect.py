"""What providers with a dialect of their own have in common."""

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
    """A provider whose bodies and replies are none of OpenAI's."""

    engine: str

    def __init__(self, setup: Setup, key_name: str):
        self.facts = FACTS[self.engine]
        self.address, self.path = self.facts["address"], self.facts["path"]
        self.models_path = self.facts["models"]
        super().__init__(setup, key_name)
        # The budget of reasoning, which the output limit alone does not say.
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
        """What a reply says that it took and was served by, as fields of a response."""

    @abstractmethod
    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        """The answer in a reply that is no error."""

    def _settled(
        self, reason: str | None, words: tuple[str | None, str | None] | None, known: Record
    ) -> Response | Retry:
        called = reason == "tool_use"
        status = None if called and not self._tools else self.facts["ends"].get(reason)
        return settled(status, words, {**known, "finish_reason": reason}, called=called)

    def _sent(self, names: Mapping[str, str]) -> Record:
        """The settings that are set, by their names in the dialect."""
        return {theirs: self.answers[own] for own, theirs in names.items() if own in self.answers}

    def _with_extra(self, body: Record) -> Record:
        """The body with the config's further fields, of which some are fields of a field."""
        merged = dict(body)
        for name, value in self.answers.get("extra_body", {}).items():
            own = merged.get(name)
            merged[name] = {**own, **value} if isinstance(own, dict) else value
        return merged


def parts_of(request: Request) -> list[str]:
    """A prompt's shared part and its own, as dialects take them: none is blank."""
    parts = [clean(request.prefix), clean(request.suffix)]
    return parts if all(part.strip() for part in parts) else ["".join(parts)]


def joined(words: list[str]) -> str | None:
    """Pieces of a text as one; None where there are none."""
    return "".join(words) if words else None
