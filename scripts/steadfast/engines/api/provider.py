"""What of an engine behind an API is its provider's own: address, key, bodies and replies."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.api.client import Access
from steadfast.engines.api.replies import Retry
from steadfast.engines.base import Setup, TokenCounter

MESSAGE_TOKENS = 4  # of a chat template, per message, beside its text
REPLY_TOKENS = 3  # that open the answer


class Provider(ABC):
    """What one provider is sent, and what its replies mean.

    Attributes:
        answers: the settings that determine a response.
        path: where requests go, below the address.
        models_path: where its models are listed.
        address: the provider's own; None: as the ``openai`` client has it.
        most_live: tokens of an answer, at most, of a request that is sent by itself.
        packages: distributions whose versions belong to the provenance.
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

        A key that is absent and one that is null or empty are the same.
        """
        temperature = own.get("temperature", 0.0)
        drawn = {"temperature": None if temperature is None else float(temperature)}
        settings = {**own, **drawn, **further}
        return {k: v for k, v in settings.items() if v is not None and v != {}}

    def expect(self, groups: Sequence[Sequence[Request]]) -> None:
        """Learns what is about to be asked: a prefix that nobody shares is not worth caching."""
        self._sharing.update({group[0].group: len(group) for group in groups})

    def is_shared(self, request: Request) -> bool:
        """Whether others that are asked have a request's prefix too."""
        return self._sharing[request.group] > 1

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """An estimate of what the chat template adds, by what counts a text's tokens."""
        system = self.answers.get("system")
        opening = MESSAGE_TOKENS + count(system) if system else 0
        return opening + MESSAGE_TOKENS + REPLY_TOKENS

    def headers(self, key: str) -> Record | None:
        """The header of each request; None: the ``openai`` client's."""
        return None

    def parts(self, request: Request) -> int | None:
        """In how many content parts a prompt is sent; None: as the provider's usual string."""
        return None

    @abstractmethod
    def body(self, request: Request) -> Record:
        """The body of one request."""

    @abstractmethod
    def read(self, reply: object) -> Response | Retry:
        """The answer in a body's value."""
