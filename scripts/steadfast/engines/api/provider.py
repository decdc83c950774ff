"""A provider behind an API: address, key, request bodies and replies. ``DialectProvider`` is the
base of providers whose format is not OpenAI's."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request, Response
from steadfast.engines.api.body import clean, mapping
from steadfast.engines.api.client import Access
from steadfast.engines.api.replies import Retry, error_in_reply, outcome
from steadfast.engines.base import Setup, TokenCounter

FACTS: Settings = facts("engines/providers.yaml")
MESSAGE_TOKENS = 4  # of a chat template for each message, in addition to its text
REPLY_TOKENS = 3  # of a chat template that open the response


class Provider(ABC):
    """Request bodies for one provider, and the meaning of its replies.

    Attributes:
        answers: the settings that determine a response.
        path: of requests, below the address.
        models_path: of the list of models.
        address: the provider's own; None: that of the ``openai`` client.
        most_live: maximum output tokens of a request outside batches.
        packages: Python packages whose versions belong to the provenance.
        tokenizer: the model's own, where the config names it.
    """

    answers: Record
    path: str
    models_path = "/models"
    address: str | None = None
    most_live: int | None = None
    packages: tuple[str, ...] = ()
    tokenizer: TokenCounter | None = None

    def __init__(self, setup: Setup, key_name: str):
        name = setup.operation.get("api_key_env", key_name)
        self.access = Access(setup.operation.get("base_url"), name, self.address)
        self._sharing: Counter[tuple[str, str]] = Counter()

    def determining(self, own: Settings, **further: object) -> Record:
        """The settings that determine a response: the model's own, and further ones.

        A key that is null or empty is left out.
        """
        temperature = own.get("temperature", 0.0)
        sampling = {"temperature": None if temperature is None else float(temperature)}
        settings = {**own, **sampling, **further}
        return {name: value for name, value in settings.items() if value not in (None, {})}

    def note_requests(self, groups: Sequence[Sequence[Request]]) -> None:
        """Takes note of the requests to come: a prefix of only one request is not worth caching."""
        self._sharing.update({group[0].group: len(group) for group in groups})

    def is_shared(self, request: Request) -> bool:
        """Whether other requests have the same prefix."""
        return self._sharing[request.group] > 1

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """An estimate of the tokens that the chat template adds; ``count`` counts a text's."""
        system = self.answers.get("system")
        opening = MESSAGE_TOKENS + count(system) if system else 0
        return opening + MESSAGE_TOKENS + REPLY_TOKENS

    def headers(self, key: str) -> Record | None:
        """The headers of each request; None: the ``openai`` client's."""
        return None

    def parts(self, request: Request) -> int | None:
        """The number of content parts of a prompt; None: sent as one string."""
        return None

    @abstractmethod
    def body(self, request: Request) -> Record:
        """The body of one request."""

    def read(self, reply: object) -> Response | Retry:
        """The response in a reply's JSON value, or the reason to retry."""
        body = mapping(reply)
        counts = self._counts(body)
        answer = error_in_reply(body["error"]) if body.get("error") else self._answer(body, counts)
        has_counts = counts["prompt_tokens"] or counts["completion_tokens"]
        if has_counts and isinstance(answer, Retry):  # it is billed too
            return replace(answer, counts=counts)
        return answer

    @abstractmethod
    def _counts(self, reply: Mapping[str, object]) -> Record:
        """Token counts and served model of a reply, as fields of a response."""

    @abstractmethod
    def _answer(self, reply: Mapping[str, object], counts: Record) -> Response | Retry:
        """The response in a reply that is no error."""


class DialectProvider(Provider):
    """A provider with a request and reply format of its own."""

    engine: str

    def __init__(self, setup: Setup, key_name: str):
        self.facts = FACTS[self.engine]
        self.address = self.facts["address"]
        self.path = self.facts["path"]
        self.models_path = self.facts["models"]
        super().__init__(setup, key_name)
        # The budget of reasoning tokens, which the output limit does not determine.
        budget = None
        if setup.own.get("thinking") == "budget":
            budget = (setup.answers.get("reasoning") or {}).get("tokens")
        self.answers = self.determining(setup.own, engine=self.engine, budget=budget)
        self._tools = bool(self.answers.get("extra_body", {}).get("tools"))

    def _settled(
        self, reason: str | None, words: tuple[str | None, str | None] | None, counts: Record
    ) -> Response | Retry:
        """The response by its finish reason, and its text and reasoning (``replies.outcome``)."""
        calls_tool = reason == "tool_use"
        status = None if calls_tool and not self._tools else self.facts["ends"].get(reason)
        return outcome(status, words, {**counts, "finish_reason": reason}, called=calls_tool)

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
    return parts if all(map(str.strip, parts)) else ["".join(parts)]


def joined(words: list[str]) -> str | None:
    """Pieces of a text joined; None without pieces."""
    return "".join(words) if words else None
