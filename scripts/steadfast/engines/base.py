"""The interface of engines."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import Record, Settings
from steadfast.contract.engine_names import ENGINES
from steadfast.contract.part_files import Oracle
from steadfast.contract.request import Request, Response

# Settings that act on the request: its prompt, limit, repeat and schema, which are in its hash.
FITTING = frozenset(
    {
        "engine", "window", "on_overflow", "tokenizer", "max_tokens", "repeats",
        "reasoning", "examples", "structured",
    }
)  # fmt: skip
# Characters of a shared prefix from which contexts are sent one after the other: shorter ones do
# not evict one another from a prefix cache.
LONG_PREFIX = 16_384
# Ratio of a latency bin's ends: a quantile is within 2.5 % of the true one.
BIN_WIDTH = 1.05


class EngineFailed(UserError):
    """The engine itself failed: this process can send it no more requests."""


class EngineExhausted(EngineFailed, TemporaryError):
    """It ran out of memory or died silently: another attempt may succeed."""


@dataclass
class Loaded:
    """A loaded model, which all parts of one job share."""

    model: Any = None  # until the first request that is not in a journal
    seconds: float = 0.0  # of loading

    def close(self) -> None:
        """Ends the model's own processes, if any."""
        if hasattr(self.model, "close"):
            self.model.close()


class TokenCounter(Protocol):
    """A model's tokenizer, to count and truncate."""

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids."""

    def count(self, text: str) -> int:
        """The number of tokens of a text."""


@dataclass(frozen=True)
class Setup:
    """The parameters of an engine.

    Attributes:
        answers: settings that determine the responses, with the key ``engine``.
        operation: settings of how requests are sent; may contain others, which are not read.
        log: takes lines for the log while the engine runs.
        journal: of the job; an engine keeps its own state files next to it.
        oracle: the benchmark's, for engines without a model.
        loaded: the model, where it is loaded already.
    """

    answers: Settings
    operation: Settings = field(default_factory=dict)
    log: Callable[[str], None] = lambda line: None
    journal: Path | None = None
    oracle: Oracle | None = None
    loaded: Loaded = field(default_factory=Loaded)

    @property
    def own(self) -> Settings:
        """The settings of ``answers`` that an engine reads itself."""
        return {key: value for key, value in self.answers.items() if key not in FITTING}


class Latencies:
    """Latencies of responses, as a logarithmic histogram that can be added up over runs."""

    def __init__(self, *counts: Mapping[str, int]):
        self._counts: Counter[int] = Counter()
        for histogram in counts:
            self._counts.update({int(name): count for name, count in histogram.items()})

    def add(self, seconds: float) -> None:
        """Adds one response."""
        self._counts[math.floor(math.log(max(seconds, 1e-6), BIN_WIDTH))] += 1

    @property
    def counts(self) -> dict[str, int]:
        """Counts by bin, for a file."""
        return {str(number): count for number, count in sorted(self._counts.items())}

    def quantile(self, share: float) -> float | None:
        """Seconds within which a share of the responses came; None without responses."""
        remaining = share * self._counts.total()
        for number, count in sorted(self._counts.items()):
            remaining -= count
            if remaining <= 0:
                return float(BIN_WIDTH ** (number + 0.5))
        return None


class Engine(ABC):
    """Responds to requests; one class for each kind of model, chosen by ``build_engine``."""

    answers: Record
    """Settings that determine a response: part of its hash and of the provenance."""
    has_model: bool = True
    """Whether a model writes the responses, which may then contain reasoning."""
    paid: bool = False
    """Whether responses cost anything, and so are kept in the journal and never re-requested."""
    packages: tuple[str, ...] = ()
    """Python packages whose versions belong to the provenance."""
    option: str | None = None
    """The provider's pricing option, as the plan names it: live, flex or batch."""
    load_seconds: float = 0.0
    """Seconds of loading the model; 0 where another part's engine had loaded it."""

    @property
    def tokenizer(self) -> TokenCounter | None:
        """Counts and truncates its prompts; None: the config's tiktoken encoding."""
        return None

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """Tokens that the model's template adds to a prompt; ``count`` counts a text's tokens."""
        return 0

    def prefilled(self, start_tags: Sequence[str]) -> bool | None:
        """Whether its prompts end with a start tag of reasoning; None: a server renders them."""
        return None

    @abstractmethod
    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Yields the response to each request as soon as it arrives.

        Args:
            groups: requests that share a context, in the order of the prompts.

        Raises:
            UserError: the engine cannot continue (no key, no server, an unknown model).
        """

    def provenance(self) -> Record:
        """Additional provenance: checksums, and the hardware of a local engine."""
        return {}

    @cached_property
    def retries(self) -> Counter[str]:
        """Failed attempts that were retried, by reason."""
        return Counter()

    @cached_property
    def latencies(self) -> Latencies:
        """Times from request to response, for engines with a server."""
        return Latencies()

    def summary(self) -> list[str]:
        """Lines for the log."""
        return [f"{count} × {reason}, retried" for reason, count in self.retries.items()]


def build_engine(setup: Setup) -> Engine:
    """The engine of a model."""
    name = setup.answers["engine"]
    if name not in ENGINES:
        raise UserError(f"unknown engine {name!r}; use one of {', '.join(ENGINES)}")
    module, _, function = ENGINES[name].partition(":")
    build: Callable[[Setup], Engine] = getattr(import_module(module), function)
    return build(setup)
