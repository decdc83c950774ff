"""Engine ``simulated``: seeded readers of a benchmark, cut at the output limit like a model."""

import random
from collections.abc import Iterator
from itertools import chain

from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, Setup
from steadfast.engines.without_model.limit import limited


class SimulatedEngine(Engine):
    """Answers as a reader of those settings would; the same request, the same answer.

    Args:
        setup: its own settings are handed to the oracle as they are; ``seed`` is among them.
    """

    has_model = False
    packages = ("tiktoken",)

    def __init__(self, setup: Setup):
        assert setup.oracle is not None, "a benchmark's stand-in answers for this engine"
        self._oracle, self._reader = setup.oracle, setup.own
        # Cuts the answers; prompts are counted by the same.
        self._tokenizer = load_tokenizer(setup.answers.get("tokenizer") or "o200k_base")
        self.answers = {"engine": "simulated", "reader": dict(self._reader)}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The reader's answers, in order."""
        for request in chain.from_iterable(groups):
            rng = random.Random(f"{self._reader['seed']}/{request.hash}")
            text = self._oracle.simulated(request.key, self._reader, request.seen, rng)
            yield request, limited(text, request, self._tokenizer)
