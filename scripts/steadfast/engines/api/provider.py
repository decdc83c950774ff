"""The interface of a provider behind an API: address, key, request bodies and replies."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api.client import Access
from steadfast.engines.api.replies import Retry
from steadfast.engines.base import Setup, TokenCounter

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
        return {k: v for k, v in settings.items() if v is not None and v != {}}

    def expect(self, groups: Sequence[Sequence[Request]]) -> None:
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

    @abstractmethod
    def read(self, reply: object) -> Response | Retry:
        """The response in a reply's JSON value."""
