"""Engine ``replay``: responses from a file that someone else produced."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.contract.request import ANSWERED, STATUSES, Request, Response, draw_key
from steadfast.engines.base import Engine, Setup
from steadfast.engines.openai.replies import status_of
from steadfast.engines.openai.shapes import count, text

TEXT_FIELDS = ("text", "response", "output")
COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens", "thought_tokens")


class ReplayEngine(Engine):
    """Answers from a JSON-lines file; a sample that it lacks is an error, never a wrong answer.

    A record has ``sample_id``, text or a number, and one of ``text``, ``response``, ``output``,
    which is null where there is no answer; where it has ``draw``, ``status``, ``finish_reason``,
    ``thought`` or token counts, they are taken over.
    """

    def __init__(self, setup: Setup):
        self.answers = {"engine": "replay"}
        self._file: Path = Path(setup.operation["file"])
        self._fields: Settings = setup.answers.get("fields") or {}
        try:
            content = self._file.read_bytes()
        except OSError as error:
            raise UserError(
                f"{self._file}: cannot be read ({error.strerror}); give the responses to replay "
                "there"
            ) from None
        self._sha256 = hashlib.sha256(content).hexdigest()
        self._responses: dict[tuple[str, int], Response] = {}
        for number, line in enumerate(content.split(b"\n"), start=1):
            where = f"{self._file}:{number}"
            if line.strip():
                try:
                    key, response = self._read(json.loads(line))
                except (ValueError, RecursionError) as error:
                    raise UserError(f"{where}: {error}; mend that line") from None
                if key in self._responses:
                    raise UserError(
                        f"{where}: a second response to {draw_key(*key)}; leave one of them, or "
                        "number them with the field draw, from 0"
                    )
                self._responses[key] = response

    def _read(self, record: object) -> tuple[tuple[str, int], Response]:
        if not isinstance(record, dict):
            raise ValueError("not an object")

        def value(name: str) -> Any:
            return record.get(self._fields.get(name, name))

        sample_id, finish_reason, status = map(value, ("sample_id", "finish_reason", "status"))
        draw = value("draw") or 0
        if isinstance(sample_id, int) and not isinstance(sample_id, bool):
            sample_id = str(sample_id)
        if not isinstance(sample_id, str):
            raise ValueError("no sample_id")
        if not isinstance(draw, int) or isinstance(draw, bool) or draw < 0:
            raise ValueError(f"draw {draw!r} is no number from 0 on")
        key = sample_id, draw
        reason, thought = text(finish_reason), text(value("thought"))
        if status is None:
            status = status_of(finish_reason) if finish_reason is not None else "ok"
            if status is None:
                ended = f"the replayed reply ended with {finish_reason!r}, which is no answer"
                return key, Response("error", error=ended)
        if status not in STATUSES:
            raise ValueError(f"status {status!r} is none of {', '.join(STATUSES)}")
        if status in ("refused", "unfinished"):
            return key, Response(status, finish_reason=reason, thought=thought)
        if status not in ANSWERED:
            failure = text(value("error")) or "failed in the replayed file"
            return key, Response(status, finish_reason=reason, error=failure)
        name = self._fields.get("text") or next((t for t in TEXT_FIELDS if t in record), "text")
        if name in record and record[name] is None:
            return key, Response("error", error="null in the replayed file")
        if not isinstance(record.get(name), str):
            raise ValueError(f"no string {name!r} in the record of {sample_id}")
        prompt, cached, completion, thoughts = (count(value(name)) for name in COUNTS)
        counts = prompt, cached, completion
        response = Response(status, record[name], reason, *counts, thought=thought)
        return key, replace(response, thought_tokens=thoughts)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        for request in chain.from_iterable(groups):
            yield request, self.response(request.sample_id, request.draw)

    def response(self, sample_id: str, draw: int) -> Response:
        """The file's response to a sample; an error where there is none."""
        missing = Response("error", error="no response in the replayed file")
        return self._responses.get((sample_id, draw), missing)

    def identity(self) -> Record:
        return {"file_sha256": self._sha256}

    def summary(self) -> list[str]:
        return [f"{len(self._responses)} responses in {self._file}"]
