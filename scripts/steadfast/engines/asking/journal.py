"""The journal: every response as it comes in, so that a killed job asks nothing twice."""

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

from steadfast.base.errors import PassingError, UserError
from steadfast.base.files import Record, json_line
from steadfast.base.locks import Lock
from steadfast.contract.request import FINAL, STATUSES, Response

SYNC_SECONDS = 5.0
CHECK = b'"check"'
"""The last field of a line: a checksum of what stands before it."""
DAMAGED_CHECK = re.compile(rb', "[^"]{0,20}": "[0-9a-f]{16}"\s*\}\s*$')
_FIELDS = [field.name for field in fields(Response)]
_OLD_FIELDS = {"reasoning": "thought", "reasoning_tokens": "thought_tokens"}
"""What lines of version 0.1 call a field: what they hold was paid for."""


class Journal(AbstractContextManager["Journal"]):
    """Responses by request hash, in an append-only JSON-lines file that one job holds.

    A response is in the file, whole, before ``append`` returns: a killed process loses nothing
    that was appended, a killed machine at most the last ``SYNC_SECONDS``. Another job that holds
    the file is waited for.

    Raises:
        UserError: the file cannot be locked, a line other than the last is corrupt, or one was
            changed after it was written. A last line that was torn by a crash is cut off.
    """

    def __init__(self, path: Path | str, say: Callable[[str], None] = print):
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(closing(Lock(self._path, say)))
            self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            stack.callback(os.close, self._fd)
            self._responses = self._load()
            self._size = os.fstat(self._fd).st_size
            self._held = stack.pop_all()
        self._synced = time.monotonic()

    def get(self, request_hash: str) -> Response | None:
        """The final response to a request (ok, length, refused), or None: it is to be asked."""
        return self._responses.get(request_hash)

    def append(self, request_hash: str, response: Response) -> None:
        """Keeps a response; one that is not final stands there to be read, and is asked again."""
        line = journal_line(request_hash, response)
        try:
            self._check_size(os.fstat(self._fd).st_size)
            while line:
                written = os.write(self._fd, line)
                line, self._size = line[written:], self._size + written
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self._sync()
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            mend = "make room" if full else "look after its file system"
            raise (UserError if full else PassingError)(
                f"{self._path}: cannot be written ({error.strerror}); {mend}, then run again: what "
                "stands in it is not asked twice"
            ) from None
        if response.status in FINAL:
            self._responses[request_hash] = response

    def __exit__(self, *error: object) -> None:
        """Puts all on the disk and lets another job have the file."""
        with self._held:
            self._sync()
            if error[0] is None:
                self._check_alone()

    def _check_alone(self) -> None:
        # Opened anew: only then does a network file system look at what other nodes have written.
        try:
            with open(self._path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            size = 0
        self._check_size(size)

    def _check_size(self, found: int) -> None:
        """Whether the file is as this job left it, so that no other one writes it."""
        if found != self._size:
            raise UserError(
                f"{self._path}: another job writes this journal, or somebody changed it; see that "
                "one Snakemake alone works in this folder and that its file system locks files "
                "for all nodes, then run again: what is answered is not asked twice"
            )

    def _sync(self) -> None:
        os.fsync(self._fd)
        self._synced = time.monotonic()

    def _load(self) -> dict[str, Response]:
        content = self._path.read_bytes()
        *lines, rest = content.split(b"\n")
        sound = len(content) - len(rest)
        responses = {}
        for number, line in enumerate(lines, start=1):
            try:
                request_hash, response = _read(line)
            except Edited:
                raise UserError(
                    f"{self._path}:{number}: this line of the journal was changed by hand; to "
                    f"accept the change, take {CHECK.decode()} with its value out of the line, or "
                    "remove the line to have its request asked again"
                ) from None
            except ValueError as error:
                if number < len(lines) or rest:
                    raise UserError(
                        f"{self._path}:{number}: corrupt line in the journal ({error}); remove "
                        "that line, and its request alone is asked again"
                    ) from None
                sound -= len(line) + 1
                continue
            if response.status in FINAL:
                responses[request_hash] = response
        if sound < len(content):
            os.ftruncate(self._fd, sound)
        return responses


def journal_line(request_hash: str, response: Response) -> bytes:
    """A response as a line of a journal, with its checksum at the end."""
    held = ((field.name, getattr(response, field.name)) for field in fields(response))
    kept = {name: value for name, value in held if value is not None}
    body = json_line({"hash": request_hash, **kept}).encode("utf-8").removesuffix(b"}\n")
    return body + b', %s: "%s"}\n' % (CHECK, _checksum(body))


def kept_replies(path: Path) -> Iterator[tuple[str, Response]]:
    """What stands in a journal, by request hash, failed attempts too.

    The file may be missing, or grow meanwhile.
    """
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError):  # the job that holds the journal says so
            yield _read(line)


def final_tiers(path: Path) -> dict[str, str | None]:
    """The requests that a journal answers for good, and by which tier each was billed.

    None is the plain price.
    """
    return {
        request_hash: response.tier
        for request_hash, response in kept_replies(path)
        if response.status in FINAL
    }


class Edited(ValueError):
    """A line is not the one that was written."""


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _read(line: bytes) -> tuple[str, Response]:
    body, found, check = line.rpartition(b", %s: " % CHECK)
    if found and check.strip() != b'"%s"}' % _checksum(body):  # without one it is taken as it is
        raise Edited("its checksum is another one")
    if not found and DAMAGED_CHECK.search(line):
        raise ValueError("the name of its checksum is damaged")
    try:
        record = json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(record, dict) or not isinstance(record.get("hash"), str):
        raise ValueError("no record with a hash")
    if record.get("status") not in STATUSES or not isinstance(record.get("text"), str):
        raise ValueError("no response with status and text")
    for name, old_name in _OLD_FIELDS.items():
        record.setdefault(name, record.get(old_name))
    response: Record = {name: record.get(name) for name in _FIELDS}
    return record["hash"], Response(**response)
