"""Engine ``simulated``: seeded readers of a benchmark, cut at the output limit like a model."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.request import Oracle, Request, Response
from steadfast.tokens import Tokenizer


class SimulatedEngine(Engine):
    """Answers as a reader of those settings would; the same request, the same answer.

    Args:
        reader: the reader's settings, handed to the oracle as they are; ``seed`` is among them.
        oracle: the benchmark's.
        tokenizer: counts and cuts the answers.
    """

    packages = ("tiktoken",)

    def __init__(self, reader: Mapping[str, Any], oracle: Oracle, tokenizer: Tokenizer):
        self._reader = reader
        self._oracle, self._tokenizer = oracle, tokenizer
        self.answers: dict[str, Any] = {"engine": "simulated", "reader": dict(reader)}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The reader's answers, in order."""
        for group in groups:
            for request in group:
                rng = random.Random(f"{self._reader['seed']}/{request.hash}")
                text = self._oracle.simulated(request.sample_id, self._reader, request.seen, rng)
                yield request, self._limited(text, request)

    def _limited(self, text: str, request: Request) -> Response:
        tokens = self._tokenizer.encode(text)
        if len(tokens) <= request.max_tokens:
            return Response("ok", text, "stop", request.prompt_tokens, None, len(tokens))
        cut = text[: len(self._tokenizer.decode(tokens[: request.max_tokens]))]
        return Response("length", cut, "length", request.prompt_tokens, None, request.max_tokens)
