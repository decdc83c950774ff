"""What every engine is to the stage."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from steadfast.engines.request import Request, Response
from steadfast.tokens import Tokenizer

LONG_PREFIX = 16_384
"""Characters of a shared prefix from which on contexts are asked one by one: shorter ones do not
drive one another out of a prefix cache."""


class Engine(ABC):
    """Answers requests; one class a kind of model, chosen in ``engines.build``."""

    answers: dict[str, Any]
    """The settings that determine a response: part of its hash and of the identity."""
    paid: bool = False
    """Whether answers cost anything, and so are kept in the journal and never asked twice."""
    packages: tuple[str, ...] = ()
    """Distributions whose versions belong to the identity."""
    tokenizer: Tokenizer | None = None
    """What counts and cuts its prompts; None: the config's tiktoken encoding."""

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """Tokens that the model's template adds to a prompt; ``count`` counts those of a text."""
        return 0

    @abstractmethod
    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Answers all requests, each as soon as it can be given.

        Args:
            groups: requests that share a context, in the order of the prompts.

        Raises:
            UserError: going on makes no sense (no key, no server, a model that is not there).
        """

    def reset_prefix_cache(self) -> bool:
        """Empties the prefix cache; False where the engine cannot."""
        return False

    def identity(self) -> dict[str, Any]:
        """What else belongs to the identity: checksums, hardware of an engine that runs here."""
        return {}

    def summary(self) -> list[str]:
        """Lines for the log, such as retries."""
        return []

    def retries(self) -> dict[str, int]:
        """Attempts that failed and were made again, by reason."""
        return {}
