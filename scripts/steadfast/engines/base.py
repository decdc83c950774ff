"""What every engine is to the stage."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from steadfast.base.errors import PassingError, UserError
from steadfast.base.files import Record, Settings
from steadfast.contract.engine_names import ENGINES
from steadfast.contract.part_files import Oracle
from steadfast.contract.request import Request, Response

FITTING = frozenset(
    {
        "engine", "window", "on_overflow", "tokenizer", "max_tokens", "repeats",
        "reasoning", "examples", "structured",
    }
)  # fmt: skip
"""Settings that act on the request: what they change is in its prompt, limit, repeat and schema,
which its hash covers."""
LONG_PREFIX = 16_384
"""Characters of a shared prefix from which on contexts are asked one by one: shorter ones do not
drive one another out of a prefix cache."""
BIN_WIDTH = 1.05
"""Of a bin of latencies, as a ratio: a quantile is within 2.5 % of what it was."""


class EngineFailed(UserError):
    """The engine itself is lost: nothing more can be asked of it in this process."""


class EngineExhausted(EngineFailed, PassingError):
    """It is lost for want of memory, or without a word: another try may not meet that."""


@dataclass
class Loaded:
    """What an engine has loaded; all parts that one job asks share it."""

    model: Any = None  # until something was asked that no journal answers
    seconds: float = 0.0  # that loading took

    def close(self) -> None:
        """Ends the processes in which it is loaded, where it has any of its own."""
        if hasattr(self.model, "close"):
            self.model.close()


class TokenCounter(Protocol):
    """What counts a model's tokens, and cuts a text."""

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""


@dataclass(frozen=True)
class Setup:
    """What an engine is made of.

    Attributes:
        answers: what determines the responses, with the key ``engine``.
        operation: how requests are sent; other settings of the model among them are not read.
        log: takes lines for the log while the engine runs.
        journal: the job's; what an engine must not forget lies beside it.
        oracle: the benchmark's, for the engines without a model.
        loaded: the model, where it is loaded already.
        leased: whether the GPUs that are visible are held for this engine already.
    """

    answers: Settings
    operation: Settings = field(default_factory=dict)
    log: Callable[[str], None] = lambda line: None
    journal: Path | None = None
    oracle: Oracle | None = None
    loaded: Loaded = field(default_factory=Loaded)
    leased: bool = False

    @property
    def own(self) -> Settings:
        """The settings of ``answers`` that an engine reads itself."""
        return {key: value for key, value in self.answers.items() if key not in FITTING}


class Latencies:
    """How long answers took, as a histogram by logarithms that runs can be added up from."""

    def __init__(self, *counts: Mapping[str, int]):
        self._counts: Counter[int] = Counter()
        for one in counts:
            self._counts.update({int(name): count for name, count in one.items()})

    def add(self, seconds: float) -> None:
        """One more answer."""
        self._counts[math.floor(math.log(max(seconds, 1e-6), BIN_WIDTH))] += 1

    @property
    def counts(self) -> dict[str, int]:
        """By bin, for a file."""
        return {str(number): count for number, count in sorted(self._counts.items())}

    def quantile(self, share: float) -> float | None:
        """Seconds within which that share of the answers came; None where there are none."""
        left = share * self._counts.total()
        for number, count in sorted(self._counts.items()):
            left -= count
            if left <= 0:
                return float(BIN_WIDTH ** (number + 0.5))
        return None


class Engine(ABC):
    """Answers requests; one class a kind of model, chosen by ``build_engine``."""

    answers: Record
    """The settings that determine a response: part of its hash and of the provenance."""
    has_model: bool = True
    """Whether a model wrote the answers, so that they may hold reasoning."""
    paid: bool = False
    """Whether answers cost anything, and so are kept in the journal and never asked twice."""
    packages: tuple[str, ...] = ()
    """Distributions whose versions belong to the provenance."""
    option: str | None = None
    """The provider's pricing option by which it is asked, as the plan calls it."""
    load_seconds: float = 0.0
    """What loading the model took, where this engine did it and no other part's had done it."""

    @property
    def tokenizer(self) -> TokenCounter | None:
        """What counts and cuts its prompts; None: the config's tiktoken encoding."""
        return None

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """Tokens that the model's template adds to a prompt; ``count`` counts those of a text."""
        return 0

    def prefilled(self, start_tags: Sequence[str]) -> bool | None:
        """Whether its prompts end with a tag that opens reasoning; None: a server renders them."""
        return None

    @abstractmethod
    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Answers all requests, each as soon as it can be given.

        Args:
            groups: requests that share a context, in the order of the prompts.

        Raises:
            UserError: going on makes no sense (no key, no server, a model that is not there).
        """

    def provenance(self) -> Record:
        """What else belongs to the provenance: checksums, hardware of an engine that runs here."""
        return {}

    @cached_property
    def retries(self) -> Counter[str]:
        """How many attempts failed and were made again, by reason."""
        return Counter()

    @cached_property
    def latencies(self) -> Latencies:
        """What answers took from request to reply, where a server gave them."""
        return Latencies()

    def summary(self) -> list[str]:
        """Lines for the log."""
        return [f"{count} × {reason}, tried again" for reason, count in self.retries.items()]


def build_engine(setup: Setup) -> Engine:
    """The engine of a model."""
    name = setup.answers["engine"]
    if name not in ENGINES:
        raise UserError(f"engine: there is no {name!r}; use one of {', '.join(ENGINES)}")
    module, _, made = ENGINES[name].partition(":")
    build: Callable[[Setup], Engine] = getattr(import_module(module), made)
    return build(setup)
