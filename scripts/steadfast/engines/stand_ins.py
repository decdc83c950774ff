"""Engines ``reference``, ``floor`` and ``simulated``: they answer from what a benchmark knows."""

import random
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain

from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import FloorOracle, Request, Response
from steadfast.engines.base import Engine, Setup


class StandInEngine(Engine):
    """Answers from the benchmark's oracle, request by request."""

    has_model = False

    def __init__(self, setup: Setup):
        assert setup.oracle is not None, "a benchmark's stand-in answers for this engine"
        self._oracle = setup.oracle
        self.answers = {"engine": setup.answers["engine"]}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        for request in chain.from_iterable(groups):
            yield request, self._response(request)

    @abstractmethod
    def _response(self, request: Request) -> Response:
        """Returns the answer to one request."""


class ReferenceEngine(StandInEngine):
    """Gives the benchmark's gold answers, whole whatever the output limit."""

    def _response(self, request: Request) -> Response:
        return Response("ok", self._oracle.reference(request.key), "stop", request.prompt_tokens)


class LimitedStandIn(StandInEngine):
    """Cuts its answers at the output limit, as a model's are cut, by the tokenizer of prompts."""

    packages = ("tiktoken",)

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._tokenizer = load_tokenizer(setup.answers.get("tokenizer") or "o200k_base")

    def _limited(self, text: str, request: Request) -> Response:
        tokens, status, reason = self._tokenizer.encode(text), "ok", "stop"
        if len(tokens) > request.max_tokens:
            tokens, status, reason = tokens[: request.max_tokens], "length", "length"
            text = text[: len(self._tokenizer.decode(tokens))]
        return Response(status, text, reason, request.prompt_tokens, None, len(tokens))


class FloorEngine(LimitedStandIn):
    """Reads the instruction and looks nothing up: a score is worth what it adds to the floor's."""

    def _response(self, request: Request) -> Response:
        assert isinstance(self._oracle, FloorOracle), "only models have this engine, no judges"
        text = self._oracle.floor(request.key)
        if text is None:
            return Response("refused", "", "stop", request.prompt_tokens)
        return self._limited(text, request)


class SimulatedEngine(LimitedStandIn):
    """Answers as a reader of its settings would; the same request always gets the same answer."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._reader = setup.own
        self.answers["reader"] = dict(self._reader)

    def _response(self, request: Request) -> Response:
        rng = random.Random(f"{self._reader['seed']}/{request.hash}")
        text = self._oracle.simulated(request.key, self._reader, request.seen, rng)
        return self._limited(text, request)
