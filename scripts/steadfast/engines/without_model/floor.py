"""Engine ``floor``: a reader of the instruction that looks nothing up, cut at the output limit."""

from collections.abc import Iterator
from itertools import chain

from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import FloorOracle, Request, Response
from steadfast.engines.base import Engine, Setup
from steadfast.engines.without_model.limit import limited


class FloorEngine(Engine):
    """Gives the benchmark's floor answers: what a score is worth is what it adds to theirs."""

    has_model = False
    packages = ("tiktoken",)

    def __init__(self, setup: Setup):
        assert isinstance(setup.oracle, FloorOracle), "only models have this engine, no judges"
        self._oracle = setup.oracle
        self._tokenizer = load_tokenizer(setup.answers.get("tokenizer") or "o200k_base")
        self.answers = {"engine": "floor"}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The floor answers, in order."""
        for request in chain.from_iterable(groups):
            text = self._oracle.floor(request.key)
            if text is None:
                yield request, Response("refused", "", "stop", request.prompt_tokens)
            else:
                yield request, limited(text, request, self._tokenizer)
