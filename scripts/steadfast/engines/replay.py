"""Engine ``replay``: responses from a file that someone else produced."""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.engines.base import Engine, Setup
from steadfast.engines.request import ANSWERED, STATUSES, Request, Response
from steadfast.errors import UserError
from steadfast.files import Record, Settings

TEXT_FIELDS = ("text", "response", "output")
COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens")


class ReplayEngine(Engine):
    """Answers from a JSON-lines file; a sample that it lacks is an error, never a wrong answer.

    A record has ``sample_id``, text or a number, and one of ``text``, ``response``, ``output``,
    which is null where there is no answer; where it has ``status``, ``finish_reason`` or token
    counts, they are taken over.

    Args:
        setup: ``file``, of its operation, is the JSON-lines file; ``fields``, of its answers, what
            it calls ``sample_id``, ``text``, ``status``…, where that differs.

    Raises:
        UserError: the file is missing, a line is no such record, or a sample stands twice; the
            sentence names file and line.
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
        self._responses: dict[str, Response] = {}
        for number, line in enumerate(content.split(b"\n"), start=1):
            where = f"{self._file}:{number}"
            if line.strip():
                try:
                    sample_id, response = self._read(json.loads(line))
                except ValueError as error:
                    raise UserError(f"{where}: {error}; mend that line") from None
                if sample_id in self._responses:
                    raise UserError(f"{where}: a second response to {sample_id}; leave one of them")
                self._responses[sample_id] = response

    def _read(self, record: object) -> tuple[str, Response]:
        if not isinstance(record, dict):
            raise ValueError("not an object")

        def value(name: str) -> Any:
            return record.get(self._fields.get(name, name))

        sample_id, finish_reason, status = map(value, ("sample_id", "finish_reason", "status"))
        if isinstance(sample_id, int) and not isinstance(sample_id, bool):
            sample_id = str(sample_id)
        if not isinstance(sample_id, str):
            raise ValueError("no sample_id")
        if status is None:
            status = "length" if finish_reason == "length" else "ok"
        if status not in STATUSES:
            raise ValueError(f"status {status!r} is none of {', '.join(STATUSES)}")
        if status == "refused":
            return sample_id, Response(status, finish_reason=finish_reason)
        if status not in ANSWERED:
            failure = value("error") or "failed in the replayed file"
            return sample_id, Response(status, finish_reason=finish_reason, error=failure)
        name = self._fields.get("text") or next((t for t in TEXT_FIELDS if t in record), "text")
        if name in record and record[name] is None:
            return sample_id, Response("error", error="null in the replayed file")
        if not isinstance(record.get(name), str):
            raise ValueError(f"no string {name!r} in the record of {sample_id}")
        return sample_id, Response(status, record[name], finish_reason, *map(value, COUNTS))

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The file's responses, in order."""
        missing = Response("error", error="no response in the replayed file")
        for request in chain.from_iterable(groups):
            yield request, self._responses.get(request.sample_id, missing)

    def identity(self) -> Record:
        """The file's checksum."""
        return {"file_sha256": self._sha256}

    def summary(self) -> list[str]:
        """How many responses the file has."""
        return [f"{len(self._responses)} responses in {self._file}"]
