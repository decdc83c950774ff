"""Engine ``replay``: responses from a file that someone else produced."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.request import ANSWERED, STATUSES, Request, Response
from steadfast.errors import UserError

TEXT_FIELDS = ("text", "response", "output")
COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens")


class ReplayEngine(Engine):
    """Answers from a JSON-lines file; a sample that it lacks is an error, never a wrong answer.

    A record has ``sample_id``, text or a number, and one of ``text``, ``response``, ``output``,
    which is null where there is no answer; where it has ``status``, ``finish_reason`` or token
    counts, they are taken over.

    Args:
        file: the JSON-lines file.
        fields: what the file calls ``sample_id``, ``text``, ``status``…, where it differs.

    Raises:
        UserError: the file is missing, a line is no such record, or a sample stands twice; the
            sentence names file and line.
    """

    def __init__(self, file: Path | str, fields: Mapping[str, str] | None = None):
        self.answers: dict[str, Any] = {"engine": "replay"}
        self._file, self._fields = Path(file), fields or {}
        try:
            content = self._file.read_bytes()
        except OSError as error:
            raise UserError(
                f"{file}: cannot be read ({error.strerror}); give the responses to replay there"
            ) from None
        self._sha256 = hashlib.sha256(content).hexdigest()
        self._responses: dict[str, Response] = {}
        for number, line in enumerate(content.split(b"\n"), start=1):
            if line.strip():
                self._add(line, number)

    def _add(self, line: bytes, number: int) -> None:
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("not an object")
            sample_id, response = self._read(record)
        except ValueError as error:
            raise UserError(f"{self._file}:{number}: {error}; mend that line") from None
        if sample_id in self._responses:
            raise UserError(
                f"{self._file}:{number}: a second response to {sample_id}; leave one of them"
            )
        self._responses[sample_id] = response

    def _read(self, record: Mapping[str, Any]) -> tuple[str, Response]:
        def value(name: str) -> Any:
            return record.get(self._fields.get(name, name))

        sample_id, finish_reason, status = (
            value(name) for name in ("sample_id", "finish_reason", "status")
        )
        if isinstance(sample_id, int) and not isinstance(sample_id, bool):
            sample_id = str(sample_id)
        if not isinstance(sample_id, str):
            raise ValueError("no sample_id")
        if status is None:
            status = "length" if finish_reason == "length" else "ok"
        if status not in STATUSES:
            raise ValueError(f"status {status!r} is none of {', '.join(STATUSES)}")
        if status not in ANSWERED:
            failure = value("error") or "failed in the replayed file"
            return sample_id, Response(
                status, finish_reason=finish_reason, error=None if status == "refused" else failure
            )
        name = self._fields.get("text") or next((t for t in TEXT_FIELDS if t in record), "text")
        if name in record and record[name] is None:
            return sample_id, Response("error", error="null in the replayed file")
        if not isinstance(record.get(name), str):
            raise ValueError(f"no string {name!r} in the record of {sample_id}")
        return sample_id, Response(
            status, record[name], finish_reason, *(value(count) for count in COUNTS)
        )

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """The file's responses, in order."""
        missing = Response("error", error="no response in the replayed file")
        for group in groups:
            for request in group:
                yield request, self._responses.get(request.sample_id, missing)

    def identity(self) -> dict[str, Any]:
        """The file's checksum."""
        return {"file_sha256": self._sha256}

    def summary(self) -> list[str]:
        """How many responses the file has."""
        return [f"{len(self._responses)} responses in {self._file}"]
