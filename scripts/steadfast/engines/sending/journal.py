"""The journal: every response as it arrives, so that a killed job re-requests nothing."""

import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import fields
from pathlib import Path

from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import Record, json_line
from steadfast.base.locks import Lock
from steadfast.contract.request import FINAL, STATUSES, Response

SYNC_SECONDS = 5.0
# The last field of a line: a checksum of all before it.
CHECK = b'"check"'
DAMAGED_CHECK = re.compile(rb', "[^"]{0,20}": "[0-9a-f]{16}"\s*\}\s*$')
_FIELDS = [field.name for field in fields(Response)]
# Names of fields in lines of version 0.1, whose responses were paid for.
_OLD_FIELDS = {"reasoning": "thought", "reasoning_tokens": "thought_tokens"}


class Journal(AbstractContextManager["Journal"]):
    """Responses by request hash, in an append-only JSON-lines file that one job locks.

    A response is completely written before ``append`` returns: a killed process loses nothing that
    was appended, a crashed machine at most the last ``SYNC_SECONDS``. While another job locks the
    file, this one waits.

    Raises:
        UserError: the file cannot be locked, a line other than the last is corrupt, or one was
            edited. A last line that a crash left incomplete is removed.
    """

    def __init__(self, path: Path | str, report: Callable[[str], None] = print):
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(closing(Lock(self._path, report)))
            self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            stack.callback(os.close, self._fd)
            self._responses = self._load()
            self._size = os.fstat(self._fd).st_size
            self._held = stack.pop_all()
        self._synced = time.monotonic()

    def get(self, request_hash: str) -> Response | None:
        """The final response to a request (ok, length, refused); None: it has to be sent."""
        return self._responses.get(request_hash)

    def append(self, request_hash: str, response: Response) -> None:
        """Keeps a response; one that is not final is kept for its cost only."""
        line = journal_line(request_hash, response)
        try:
            self._check_size(os.fstat(self._fd).st_size)
            while line:
                written = os.write(self._fd, line)
                line = line[written:]
                self._size += written
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self._sync()
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            remedy = "free disk space" if full else "check its file system"
            raise (UserError if full else TemporaryError)(
                f"{self._path}: cannot write ({error.strerror}); {remedy}, then run again: "
                "responses in the journal are not re-requested"
            ) from None
        if response.status in FINAL:
            self._responses[request_hash] = response

    def __exit__(self, *error: object) -> None:
        """Syncs the file to disk and unlocks it."""
        with self._held:
            self._sync()
            if error[0] is None:
                self._check_size(self._size_on_disk())

    def _size_on_disk(self) -> int:
        # Opened again: only then does a network file system see what other nodes have written.
        try:
            with open(self._path, "rb") as file:
                return os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            return 0

    def _check_size(self, size: int) -> None:
        """Checks that the file is as this job left it, and no other job writes to it."""
        if size != self._size:
            raise UserError(
                f"{self._path}: another job is writing to this journal, or it was edited; make "
                "sure that only one Snakemake runs in this folder and that its file system "
                "supports locks across nodes, then run again: cached responses are not re-requested"
            )

    def _sync(self) -> None:
        os.fsync(self._fd)
        self._synced = time.monotonic()

    def _load(self) -> dict[str, Response]:
        content = self._path.read_bytes()
        *lines, unfinished = content.split(b"\n")
        valid_bytes = len(content) - len(unfinished)
        responses = {}
        for number, line in enumerate(lines, start=1):
            try:
                request_hash, response = _read(line)
            except EditedLineError:
                raise UserError(
                    f"{self._path}:{number}: this line of the journal was edited by hand; to "
                    f"accept the edit, remove {CHECK.decode()} with its value from the line, or "
                    "remove the line to re-request its response"
                ) from None
            except ValueError as error:
                if number < len(lines) or unfinished:
                    raise UserError(
                        f"{self._path}:{number}: corrupt line in the journal ({error}); remove "
                        "that line: only its request is sent again"
                    ) from None
                valid_bytes -= len(line) + 1
                continue
            if response.status in FINAL:
                responses[request_hash] = response
        if valid_bytes < len(content):
            os.ftruncate(self._fd, valid_bytes)
        return responses


def journal_line(request_hash: str, response: Response) -> bytes:
    """A response as a line of a journal, with its checksum at the end."""
    values = {field.name: getattr(response, field.name) for field in fields(response)}
    values = {name: value for name, value in values.items() if value is not None}
    body = json_line({"hash": request_hash, **values}).encode("utf-8").removesuffix(b"}\n")
    return body + b', %s: "%s"}\n' % (CHECK, _checksum(body))


def kept_replies(path: Path) -> Iterator[tuple[str, Response]]:
    """All replies in a journal by request hash, failed attempts included.

    The file may be missing, or grow meanwhile.
    """
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError):  # the job that locks the journal reports it
            yield _read(line)


def final_tiers(path: Path) -> dict[str, str | None]:
    """The requests with a final response in a journal, and the pricing tier of each.

    None is the standard price.
    """
    tiers: dict[str, str | None] = {}
    for request_hash, response in kept_replies(path):
        if response.status in FINAL:
            tiers[request_hash] = response.tier
    return tiers


class EditedLineError(ValueError):
    """A line was edited after it was written."""


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _read(line: bytes) -> tuple[str, Response]:
    body, separator, check = line.rpartition(b", %s: " % CHECK)
    # A line without a checksum is accepted: it is how a person accepts an edit.
    if separator and check.strip() != b'"%s"}' % _checksum(body):
        raise EditedLineError("checksum mismatch")
    if not separator and DAMAGED_CHECK.search(line):
        raise ValueError("damaged name of the checksum")
    try:
        record = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict) or not isinstance(record.get("hash"), str):
        raise ValueError("no record with a hash")
    if record.get("status") not in STATUSES or not isinstance(record.get("text"), str):
        raise ValueError("no response with status and text")
    for name, old_name in _OLD_FIELDS.items():
        record.setdefault(name, record.get(old_name))
    response: Record = {name: record.get(name) for name in _FIELDS}
    return record["hash"], Response(**response)
