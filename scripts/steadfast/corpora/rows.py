"""Reads the rows of data files of any format; a document has one row."""

import csv
import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, TextIO

from steadfast.base.errors import UserError
from steadfast.base.files import Record, parsed_json
from steadfast.corpora.documents import DOCUMENTS
from steadfast.corpora.tables import FORMATS, tables

Row = tuple[str, Record]  # file and line for messages, and the row's fields
READABLE = (*FORMATS, *DOCUMENTS)
# The field of a file's only row with the file's name, without suffix.
FILE = "<file>"
LONGEST = 2**30  # characters of a cell or line; csv's own limit is shorter than a long essay
IN_ARCHIVE = (*FORMATS[:-1], ".txt")  # .txt holds JSON lines, as GovReport's archives do
BATCH = 256  # rows of a column file that are read at once
BLANKS = re.compile(r"[ \t\n\r]*")
BEFORE = b"\xef\xbb\xbf \t\r\n"  # may precede the first value: UTF-8's byte order mark, and blanks
CHUNK = 2**16  # characters that are read at once, at least


class NotRecordsError(UserError):
    """A readable file that contains no records."""


def rows(path: Path) -> Generator[Row, None, None]:
    """Yields the rows of a file: ``.jsonl``, ``.json`` (a list of objects, one object, or JSON
    lines), ``.csv``, ``.parquet``, ``.zip`` with such files, or a document."""
    suffix = path.suffix.lower()
    if suffix not in READABLE:
        formats = ", ".join(READABLE)
        raise UserError(f"{path}: not a data file; name files that end in {formats}")
    try:
        if suffix == ".zip":
            yield from _archive(path)
        elif suffix in DOCUMENTS:
            row = DOCUMENTS[suffix](path.read_text(encoding="utf-8-sig"))
            yield str(path), row | {FILE: path.stem}
        else:
            with open(path, "rb") as data:
                yield from _objects(data, str(path), suffix)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror or error}); check the path and its "
            "permissions, or fetch it again"
        ) from None


def _objects(data: IO[bytes], where: str, suffix: str) -> Iterator[Row]:
    for place, row in READERS[suffix](data, where):
        if not isinstance(row, dict):
            raise NotRecordsError(
                f"{place}: a JSON object was expected, not {type(row).__name__}; correct or remove "
                "it"
            )
        yield place, row


def _archive(path: Path) -> Iterator[Row]:
    """Yields the rows of an archive's first table (``tables``), read from within it."""
    import zlib
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as archive:
            for name in next(iter(tables(archive.namelist(), formats=IN_ARCHIVE)), []):
                with archive.open(name) as member:
                    yield from _objects(member, f"{path}/{name}", Path(name).suffix.lower())
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UserError(f"{path}: not a readable zip file ({error}); fetch it again") from None


def _jsonl(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(iter(lambda: data.readline(LONGEST), b""), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"{where}:{number}: corrupt JSON line ({error}); correct or remove that line"
            ) from None
        yield f"{where}:{number}", row


def _json(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    """Yields the records of a list; or of JSON lines, as the hub's files often are; or one."""
    encoding = json.detect_encoding(data.read(4))
    data.seek(0)
    first = data.read(1)
    while first and first in BEFORE:
        first = data.read(1)
    # JSON lines: an object ends with the first line, and something follows.
    is_jsonl = first == b"{" and _is_object(first + data.readline())
    is_jsonl = is_jsonl and any(line.strip() for line in data)
    data.seek(0)
    if is_jsonl:
        yield from _jsonl(data, where)
        return
    with TextIOWrapper(data, encoding, errors="surrogatepass", newline="") as text:
        if first == b"{":
            yield where, parsed_json(text.read(), where) | {FILE: Path(where).stem}
            return
        try:
            for number, row in enumerate(listed(text), start=1):
                yield f"{where}: record {number}", row
        except (ValueError, RecursionError):
            # Read whole, so that the error says whether it is no JSON or JSON of another kind.
            text.seek(0)
            content = parsed_json(text.read(), where)
            raise NotRecordsError(
                f"{where}: a list of records was expected, not {type(content).__name__}; name a "
                "file with one"
            ) from None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _csv(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(LONGEST)
    with TextIOWrapper(data, encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, strict=True)
        try:
            for row in reader:
                yield f"{where}:{reader.line_num}", row
        except csv.Error as error:
            raise UserError(
                f"{where}:{reader.line_num}: corrupt CSV ({error}); correct the file, or fetch it "
                "again"
            ) from None


def _parquet(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    from pyarrow import parquet

    number = 0
    try:
        file = parquet.ParquetFile(data)
        # One row group at a time: read together, all stay in memory.
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(BATCH, row_groups=[group], use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{where}: record {number}", row
    except (ValueError, OSError) as error:
        raise UserError(f"{where}: not a Parquet file ({error}); fetch it again") from None


READERS: Mapping[str, Callable[[IO[bytes], str], Iterator[tuple[str, Any]]]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
    ".txt": _jsonl,  # within an archive
}


def listed(text: TextIO) -> Iterator[Any]:
    """Yields the values of a JSON list, with one at a time in memory."""
    window = _Window(text)
    window.take("[")
    if window.next != "]":
        yield window.value()
        while window.next == ",":
            window.take(",")
            yield window.value()
    window.take("]")
    window.take("")


class _Window:
    """The part of a JSON text that is in memory: the current value, and about a chunk."""

    def __init__(self, text: TextIO):
        self._text = text
        self._buffer = ""
        self._position = 0  # of the next character in the buffer
        self._decode = json.JSONDecoder().raw_decode

    @property
    def next(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            self._position = BLANKS.match(self._buffer, self._position).end()  # type: ignore[union-attr]
            if self._position < len(self._buffer) or not self._more():
                return self._buffer[self._position : self._position + 1]

    def take(self, expected: str) -> None:
        """Skips the expected character."""
        if self.next != expected:
            raise json.JSONDecodeError(f"Expecting {expected!r}", self._buffer, self._position)
        self._position += len(expected)

    def value(self) -> Any:
        """Returns the next value."""
        while self.next:
            try:
                value, end = self._decode(self._buffer, self._position)
            except json.JSONDecodeError:
                if self._more():  # the value may only be cut off
                    continue
                raise
            following = BLANKS.match(self._buffer, end).end()  # type: ignore[union-attr]
            # A number may go on beyond what is in memory.
            if self._buffer[following : following + 1] in {",", "]"} or not self._more():
                self._position = end
                return value
        raise json.JSONDecodeError("Expecting value", self._buffer, self._position)

    def _more(self) -> bool:
        """Reads at least as much as is unread, so that a long value is decoded a few times only."""
        unread = self._buffer[self._position :]
        chunk = self._text.read(max(CHUNK, len(unread)))
        if chunk:
            self._buffer = unread + chunk
            self._position = 0
        return bool(chunk)
