"""Engines without a model: reference answers, simulated models, the baseline, and replays."""

import hashlib
import json
import random
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.part_files import JudgeOracle
from steadfast.contract.request import ANSWERED, STATUSES, Request, Response, repeat_key
from steadfast.engines.api.body import count, text
from steadfast.engines.api.replies import status_of
from steadfast.engines.base import Engine, Setup


class SimulatorEngine(Engine):
    """Takes responses from the benchmark's oracle, request by request."""

    has_model = False

    def __init__(self, setup: Setup):
        assert setup.oracle is not None, "this engine needs a benchmark's simulator"
        self._oracle = setup.oracle
        self.answers = {"engine": setup.answers["engine"]}

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        for request in chain.from_iterable(groups):
            yield request, self._response(request)

    @abstractmethod
    def _response(self, request: Request) -> Response:
        """The response to one request."""


class ReferenceEngine(SimulatorEngine):
    """Returns the benchmark's reference answer, never truncated by the output limit."""

    def _response(self, request: Request) -> Response:
        return Response("ok", self._oracle.reference(request.key), "stop", request.prompt_tokens)


class LimitedSimulatorEngine(SimulatorEngine):
    """Truncates responses at the output limit, as a model does, by the tokenizer of prompts."""

    packages = ("tiktoken",)

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._tokenizer = load_tokenizer(setup.answers.get("tokenizer") or "o200k_base")

    def _limited(self, text: str, request: Request) -> Response:
        tokens = self._tokenizer.encode(text)
        if len(tokens) <= request.max_tokens:
            return Response("ok", text, "stop", request.prompt_tokens, None, len(tokens))
        tokens = tokens[: request.max_tokens]
        truncated = text[: len(self._tokenizer.decode(tokens))]
        return Response("length", truncated, "length", request.prompt_tokens, None, len(tokens))


class BaselineEngine(LimitedSimulatorEngine):
    """The no-lookup baseline: reads the instruction, and looks nothing up in the context."""

    def _response(self, request: Request) -> Response:
        assert not isinstance(self._oracle, JudgeOracle), (
            "the engine baseline is for models, not for judges"
        )
        text = self._oracle.baseline(request.key)
        if text is None:
            return Response("refused", "", "stop", request.prompt_tokens)
        return self._limited(text, request)


class SimulatedEngine(LimitedSimulatorEngine):
    """A simulated model: the same request always gets the same response."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._settings = setup.own
        self.answers["settings"] = dict(self._settings)

    def _response(self, request: Request) -> Response:
        rng = random.Random(f"{self._settings['seed']}/{request.hash}")
        text = self._oracle.simulated(request.key, self._settings, request.seen, rng)
        return self._limited(text, request)


TEXT_FIELDS = ("response", "text", "output")
COUNTS = (
    "prompt_tokens", "cached_tokens", "written_tokens", "completion_tokens", "reasoning_tokens",
)  # fmt: skip


class ReplayEngine(Engine):
    """Replays responses from a JSON-lines file; a missing sample is an error, never a wrong score.

    A record has ``sample_id`` (a string or an integer) and one of ``response``, ``text``,
    ``output``, which is null where there is no response. Optional fields: ``repeat``, ``status``,
    ``finish_reason``, ``reasoning`` and token counts.
    """

    def __init__(self, setup: Setup):
        self.answers = {"engine": "replay"}
        self._file: Path = Path(setup.operation["file"])
        self._fields: Settings = setup.answers.get("fields") or {}
        try:
            content = self._file.read_bytes()
        except OSError as error:
            raise UserError(
                f"{self._file}: cannot be read ({error.strerror}); put the responses to replay "
                "into this file, or correct its path in the config"
            ) from None
        self._sha256 = hashlib.sha256(content).hexdigest()
        self._responses: dict[tuple[str, int], Response] = {}
        for number, line in enumerate(content.split(b"\n"), start=1):
            where = f"{self._file}:{number}"
            if line.strip():
                try:
                    key, response = self._read(json.loads(line))
                except (ValueError, RecursionError) as error:
                    raise UserError(f"{where}: {error}; correct that line") from None
                if key in self._responses:
                    raise UserError(
                        f"{where}: duplicate response to {repeat_key(*key)}; remove one of them, "
                        "or number repeats from 0 in the field repeat"
                    )
                self._responses[key] = response

    def _read(self, record: object) -> tuple[tuple[str, int], Response]:
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")

        def value(name: str) -> Any:
            return record.get(self._fields.get(name, name))

        sample_id = value("sample_id")
        finish_reason = value("finish_reason")
        status = value("status")
        repeat = value("repeat") or 0
        if isinstance(sample_id, int) and not isinstance(sample_id, bool):
            sample_id = str(sample_id)
        if not isinstance(sample_id, str):
            raise ValueError("no sample_id")
        if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
            raise ValueError(f"repeat {repeat!r} is not an integer from 0")
        key = sample_id, repeat
        reason = text(finish_reason)
        reasoning = text(value("reasoning"))
        if status is None:
            status = status_of(finish_reason) if finish_reason is not None else "ok"
            if status is None:
                error = f"the replayed reply has finish_reason {finish_reason!r}: incomplete"
                return key, Response("error", error=error)
        if status not in STATUSES:
            raise ValueError(f"status {status!r} is not one of {', '.join(STATUSES)}")
        if status in ("refused", "unfinished"):
            return key, Response(status, finish_reason=reason, reasoning=reasoning)
        if status not in ANSWERED:
            failure = text(value("error")) or "failed in the replayed file"
            return key, Response(status, finish_reason=reason, error=failure)
        names = [name for name in TEXT_FIELDS if name in record]
        name = self._fields.get("response") or (names or TEXT_FIELDS)[0]
        if name in record and record[name] is None:
            return key, Response("error", error="null in the replayed file")
        if not isinstance(record.get(name), str):
            raise ValueError(f"no string {name!r} in the record of {sample_id}")
        counts: Record = {name: count(value(name)) for name in COUNTS}
        return key, Response(status, record[name], reason, reasoning=reasoning, **counts)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        for request in chain.from_iterable(groups):
            yield request, self.response(request.sample_id, request.repeat)

    def response(self, sample_id: str, repeat: int) -> Response:
        """The response to a sample in the file; an error where there is none."""
        missing = Response("error", error="no response in the replayed file")
        return self._responses.get((sample_id, repeat), missing)

    def provenance(self) -> Record:
        return {"file_sha256": self._sha256}

    def summary(self) -> list[str]:
        return [f"{len(self._responses)} responses in {self._file}"]
