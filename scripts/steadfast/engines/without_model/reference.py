"""Engine ``reference``: the gold answer, to which every scorer must give 1."""

from collections.abc import Iterator
from itertools import chain

from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, Setup


class ReferenceEngine(Engine):
    """Gives the benchmark's gold answers, whole whatever the output limit."""

    has_model = False

    def __init__(self, setup: Setup):
        assert setup.oracle is not None, "a benchmark's stand-in answers for this engine"
        self._oracle = setup.oracle
        self.answers = {"engine": "reference"}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The gold answers, in order."""
        for request in chain.from_iterable(groups):
            text = self._oracle.reference(request.key)
            yield request, Response("ok", text, "stop", request.prompt_tokens)
