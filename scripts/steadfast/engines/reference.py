"""Engine ``reference``: the gold answer, to which every scorer must give 1."""

from collections.abc import Iterator
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.request import Oracle, Request, Response


class ReferenceEngine(Engine):
    """Gives the benchmark's gold answers, whole whatever the output limit."""

    def __init__(self, oracle: Oracle):
        self._oracle = oracle
        self.answers: dict[str, Any] = {"engine": "reference"}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The gold answers, in order."""
        for group in groups:
            for request in group:
                text = self._oracle.reference(request.sample_id)
                yield request, Response("ok", text, "stop", request.prompt_tokens)
